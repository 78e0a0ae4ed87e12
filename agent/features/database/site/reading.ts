import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import {
  type AgentDatabase,
  MAX_DIGESTS,
  MAX_OPTION_TABLES,
  MAX_OPTIONS,
} from '#shared/database/site-database.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { fromHex, identifier, selectAsOwner } from './select.ts'
import { readTables } from './tables.ts'

/**
 * Sizes and names in the database of a site, read with the rights of the site. Throws not_found for
 * an unknown site, and conflict if its tables cannot be listed.
 */
export async function readDatabase(host: Host, domain: string): Promise<AgentDatabase> {
  const site = await getSite(host, domain)
  const { tables, ...options } = await readTables(host, site)
  return {
    ...tables,
    options: await readOptions(host, site, options).catch(orNull),
    queries: await readDigests(host, site.user),
  }
}

/** Returns null for a broken table of options, which the list of tables shows. */
function orNull(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'conflict') return null
  throw error
}

/**
 * Reads the statements that took the most time since MariaDB was started, without the values in
 * them. Null if the performance schema is off, as it is on Debian.
 */
async function readDigests({ database }: Host, user: string): Promise<AgentDatabase['queries']> {
  const [state] = await database.admin('read_performance_schema')
  if (Number(state?.enabled ?? 0) !== 1) return null
  const rows = await database.admin('list_statement_digests', [user, MAX_DIGESTS])
  return rows.map(({ text, last_at, ...numbers }) => {
    const of = (name: string) => Number(numbers[name] ?? 0)
    return {
      text: String(text),
      count: of('count'),
      total_ms: of('total_ms'),
      longest_ms: of('longest_ms'),
      rows_examined: of('rows_examined'),
      rows_sent: of('rows_sent'),
      without_index: of('without_index'),
      last_at: new Date(Number(last_at) * 1000).toISOString(),
    }
  })
}

interface KnownPlugin {
  name: string
  /** The folders of the plugin, of its paid form, and of others with the same options. */
  slugs: readonly string[]
  /** The beginnings of the names of its options that no other plugin uses. */
  prefixes: readonly string[]
}

const known = (name: string, slugs: string, prefixes: string): KnownPlugin => ({
  name,
  slugs: slugs.split(' '),
  prefixes: prefixes.split(' '),
})

/**
 * Widely used plugins whose options are recognised by their names. Not Jetpack, Advanced Custom
 * Fields, BuddyPress and UpdraftPlus: too many others share their code, and its options.
 */
export const KNOWN_PLUGINS: readonly KnownPlugin[] = [
  known(
    'All in One SEO',
    'all-in-one-seo-pack all-in-one-seo-pack-pro broken-link-checker-seo',
    'aioseo_ aioseop_',
  ),
  known('Autoptimize', 'autoptimize', 'autoptimize_'),
  known('bbPress', 'bbpress buddyboss-platform', '_bbp_'),
  known('Contact Form 7', 'contact-form-7', 'wpcf7'),
  known('Duplicator', 'duplicator duplicator-pro', 'duplicator_'),
  known(
    'Elementor',
    'elementor elementor-pro image-optimization pojo-accessibility site-mailer cookiez send-app angie',
    'elementor_ _elementor_',
  ),
  known('Gravity Forms', 'gravityforms gravitysmtp', 'gform_ rg_gforms_'),
  known('LearnDash', 'sfwd-lms learndash-hub', 'learndash_'),
  known('LiteSpeed Cache', 'litespeed-cache', 'litespeed.'),
  known(
    'MonsterInsights',
    'google-analytics-for-wordpress google-analytics-premium',
    'monsterinsights_',
  ),
  known('Ninja Forms', 'ninja-forms', 'ninja_forms_ nf_form_'),
  known('Polylang', 'polylang polylang-pro', 'polylang'),
  known(
    'Rank Math',
    'seo-by-rank-math seo-by-rank-math-pro fast-indexing-api',
    'rank_math_ rank-math-',
  ),
  known('Redirection', 'redirection', 'redirection_options redirection_version'),
  known('Slider Revolution', 'revslider essential-grid', 'revslider'),
  known('Solid Security', 'better-wp-security ithemes-security-pro', 'itsec'),
  known(
    'The Events Calendar',
    'the-events-calendar event-tickets events-calendar-pro event-tickets-plus advanced-post-manager',
    'tribe_',
  ),
  known('W3 Total Cache', 'w3-total-cache', 'w3tc_'),
  known('WooCommerce', 'woocommerce', 'woocommerce_'),
  known('Wordfence', 'wordfence wordfence-login-security wordfence-assistant', 'wordfence_'),
  known('WP Rocket', 'wp-rocket', 'wp_rocket_'),
  known('WPForms', 'wpforms wpforms-lite', 'wpforms_'),
  known('WPML', 'sitepress-multilingual-cms', 'icl_sitepress_'),
  known('Yoast SEO', 'wordpress-seo wordpress-seo-premium wpseo', 'wpseo'),
]

type OptionsSize = NonNullable<AgentDatabase['options']>

/** The values of `autoload` that WordPress loads with every request, also before 6.6. */
const AUTOLOADED = "autoload IN ('yes', 'on', 'auto-on', 'auto')"
const SIZE = 'IFNULL(LENGTH(option_value), 0)'
/** The prefix of the timeout of a transient, whose value stands beside it. */
const TIMEOUT = '_transient_timeout_'

/** Reads names and sizes of the options that WordPress loads with every request, never values. */
async function readOptions(
  host: Host,
  site: Site,
  { optionTables: tables, isNetwork }: { optionTables: readonly string[]; isNetwork: boolean },
): Promise<OptionsSize> {
  const chosen = tables.slice(0, MAX_OPTION_TABLES)
  if (chosen.length === 0) return []
  const rows = await selectAsOwner(host, site, chosen.flatMap(statementsFor))
  return chosen.map((table, at) => {
    const of = (kind: string) =>
      rows.flatMap(([first, ...rest]) => (first === `${kind}${at}` ? [rest] : []))
    const numbers = (kind: string) => (of(kind)[0] ?? []).map(Number)
    const [count = 0, bytes = 0] = numbers('all')
    const [expired = 0, expired_bytes = 0] = numbers('expired')
    const largest = of('one').map(([name, size]) => ({ name: fromHex(name), bytes: Number(size) }))
    // In a network, another table has further active plugins.
    const active = isNetwork ? [] : (of('active')[0] ?? [])
    const unused = unusedOptions(active, of('owner'))
    return { table, count, bytes, largest, expired, expired_bytes, unused }
  })
}

function statementsFor(name: string, at: number): string[] {
  const table = identifier(name)
  const value = `REPLACE(t.option_name, '${TIMEOUT}', '_transient_')`
  return [
    `SELECT 'all${at}', COUNT(*), IFNULL(SUM(${SIZE}), 0) FROM ${table} WHERE ${AUTOLOADED}`,
    `SELECT 'one${at}', HEX(CONVERT(LEFT(option_name, 191) USING utf8mb4)), ${SIZE} FROM ${table} WHERE ${AUTOLOADED}
  ORDER BY ${SIZE} DESC, option_name LIMIT ${MAX_OPTIONS}`,
    `SELECT 'expired${at}', COUNT(*), IFNULL(SUM(LENGTH(v.option_value)), 0) FROM ${table} t
  LEFT JOIN ${table} v ON v.option_name = ${value}
  WHERE t.option_name LIKE '${TIMEOUT.replaceAll('_', '\\_')}%' AND t.option_value + 0 < UNIX_TIMESTAMP()`,
    ...unusedStatements(table, at, { autoloaded: AUTOLOADED, size: SIZE }),
  ]
}

type UnusedOptions = NonNullable<AgentDatabase['options']>[number]['unused']

const like = (text: string) => text.replaceAll(/[\\_%]/g, '\\$&')
const OWNER = [
  'CASE',
  ...KNOWN_PLUGINS.map(({ prefixes }, at) => {
    const named = prefixes.map((prefix) => `option_name LIKE '${like(prefix)}%'`)
    return `WHEN ${named.join(' OR ')} THEN '${at}'`
  }),
  'END',
].join(' ')

/** Whether the list of active plugins, which stays in the database, has a folder. */
const ACTIVE = KNOWN_PLUGINS.map(({ slugs }) => {
  const found = slugs.map((slug) => `INSTR(option_value, '"${slug}/') > 0`)
  return `(${found.join(' OR ')})`
}).join(', ')

/** Returns the statements that find unused options; `autoloaded` is a condition for them. */
const unusedStatements = (
  table: string,
  at: number,
  { autoloaded, size }: { autoloaded: string; size: string },
): string[] => [
  `SELECT 'active${at}', ${ACTIVE} FROM ${table} WHERE option_name = 'active_plugins'`,
  `SELECT 'owner${at}', ${OWNER} AS owner, COUNT(*), SUM(${size}) FROM ${table} WHERE ${autoloaded}
  GROUP BY owner HAVING owner IS NOT NULL LIMIT 100`,
]

/** Returns options of known plugins that are not active; `active` has 0 or 1 for each. */
function unusedOptions(active: readonly string[], owners: readonly string[][]): UnusedOptions {
  return owners
    .flatMap(([owner = '', count, bytes]): UnusedOptions => {
      const sizes = { count: Number(count), bytes: Number(bytes) }
      const plugin = KNOWN_PLUGINS[Number(owner)]
      return plugin && active[Number(owner)] === '0' ? [{ plugin: plugin.name, ...sizes }] : []
    })
    .sort((one, other) => other.bytes - one.bytes)
}
