import { expect, test } from 'bun:test'
import { KNOWN_PLUGINS } from '#agent/features/database/site/reading.ts'

/** The plugins that own an option by its name, and are not active if only this folder is. */
const unusedWith = (folder: string, option: string) =>
  KNOWN_PLUGINS.filter(
    ({ slugs, prefixes }) =>
      prefixes.some((prefix) => option.startsWith(prefix)) && !slugs.includes(folder),
  ).map(({ name }) => name)

test.each([
  ['woocommerce-payments', 'jetpack_options'],
  ['jetpack-boost', 'jetpack_connection_active_plugins'],
  ['secure-custom-fields', 'acf_version'],
  ['event-tickets', 'tribe_events_calendar_options'],
  ['wp-optimize', 'updraft_task_manager_dbversion'],
  ['bp-better-messages', 'bp-better-chat-settings'],
  ['buddyboss-platform', '_bbp_db_version'],
  ['fast-indexing-api', 'rank-math-options-instant-indexing'],
  ['image-optimization', 'elementor_one_access_token'],
  ['broken-link-checker-seo', 'aioseo_blc_options'],
  ['mailpoet-to-blocks', 'mailpoet_to_blocks_settings'],
  ['another-plugin', 'redirection_url'],
  ['another-plugin', 'gf_settings'],
  ['woocommerce-multilingual', 'wpml_notices'],
  ['types', 'icl_admin_messages'],
])('of %s, the option %s is of no plugin that is not active', (folder, option) => {
  expect(unusedWith(folder, option)).toEqual([])
})

test.each([
  ['wordpress-seo', 'wpseo_titles', 'WooCommerce', 'woocommerce_thumbnail_cropping'],
  ['woocommerce', 'woocommerce_thumbnail_cropping', 'Yoast SEO', 'wpseo_titles'],
])('with %s alone, %s is in use and the options of %s are not', (folder, used, name, unused) => {
  expect([unusedWith(folder, used), unusedWith(folder, unused)]).toEqual([[], [name]])
})
