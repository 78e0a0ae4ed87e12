import type { ScanLimit } from '#agent/kernel/host/scanner-port.ts'
import type { Extension, Inventory } from '#shared/kernel/inventory.ts'
import type { WpFiles } from './wp-files.ts'
import { slugsOf } from './wp-plugins.ts'
import { coreOffer, newer, offersOf, type WpState } from './wp-updates.ts'

const MAX_EXTENSIONS = 10_000

/**
 * Returns version, plugins and themes of a WordPress, from its files and its options. Equals the
 * output of `wp core version`, `plugin list`, `theme list` and `core check-update`, without
 * must-use plugins and drop-ins. If some files could not be read completely, the number of updates
 * is unknown.
 */
export function inventoryOf(found: WpFiles, state: WpState, limit: ScanLimit): Inventory {
  const { wp_version } = found
  const { active_plugins, active_themes, ...transients } = state
  const known = found.cached ? undefined : transients
  const slugs = slugsOf(found.plugins)

  const offers = { plugins: offersOf(known?.plugins), themes: offersOf(known?.themes) }
  const plugins = found.plugins.map(({ file, name, version }) => ({
    ...described(slugs.get(file) ?? file, name, version),
    active: active_plugins?.has(file) ?? null,
    update: newer(offers.plugins?.get(file), version),
  }))
  const themes = found.themes.map(({ slug, name, version }) => ({
    ...described(slug, name, version),
    active: active_themes?.has(slug) ?? null,
    update: newer(offers.themes?.get(slug), version),
  }))
  const core = coreOffer(known?.core, wp_version)
  const complete = limit === null && !found.gaps
  return {
    wp_version,
    plugins: sorted(plugins),
    themes: sorted(themes),
    core_update: core.update,
    updates: {
      plugins: offers.plugins && complete ? count(plugins) : null,
      themes: offers.themes && complete ? count(themes) : null,
      core: core.known ? core.update !== null : null,
    },
  }
}

/** Shortens texts to the limits of the contract; a header has up to 8 KiB. */
function described(slug: string, name: string, version: string) {
  return { slug: slug.slice(0, 255), name: name.slice(0, 1024), version: version.slice(0, 255) }
}

function sorted(extensions: Extension[]): Extension[] {
  return extensions.sort((one, other) => (one.slug < other.slug ? -1 : 1)).slice(0, MAX_EXTENSIONS)
}

function count(extensions: readonly Extension[]): number {
  return extensions.filter(({ update }) => update !== null).length
}
