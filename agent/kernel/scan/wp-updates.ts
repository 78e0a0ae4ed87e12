import { mapAt, type PhpMap, type PhpValue, parsePhpValue, textAt } from './php-value.ts'
import { compareVersions } from './version-compare.ts'

/** WordPress' own records in its options. Undefined is unknown. */
export interface WpState {
  active_plugins?: ReadonlySet<string> | undefined
  /** The active theme and its parent. */
  active_themes?: ReadonlySet<string> | undefined
  core?: PhpValue | undefined
  plugins?: PhpValue | undefined
  themes?: PhpValue | undefined
}

/** The version that WordPress offers for each file or slug; undefined: its check failed. */
export function offersOf(transient: PhpValue | undefined): ReadonlyMap<string, string> | undefined {
  if (mapAt(transient, 'checked') === undefined) return undefined
  const offers = new Map<string, string>()
  for (const [key, offer] of mapAt(transient, 'response') ?? []) {
    const version = textAt(offer, 'new_version')
    if (version !== undefined) offers.set(key, version)
  }
  return offers
}

/** The offered version if it is newer than the installed one, otherwise null. */
export function newer(offered: string | undefined, installed: string): string | null {
  if (offered === undefined || offered.length > 255) return null
  return compareVersions(offered, installed) > 0 ? offered : null
}

/** The newest offered core that is newer; `known` is false if WordPress' check failed. */
export function coreOffer(transient: PhpValue | undefined, installed: string) {
  const offers = [...(mapAt(transient, 'updates')?.values() ?? [])]
    .map((offer) => textAt(offer, 'version'))
    .filter((version) => version !== undefined)
  const update = offers
    .filter((version) => newer(version, installed) !== null)
    .reduce<string | null>((best, version) => newer(version, best ?? '') ?? best, null)
  return { known: offers.length > 0, update }
}

/** The state by the rows of `optionsStatement`. */
export function stateOf(rows: readonly Record<string, unknown>[]): WpState {
  const values = new Map(rows.map(({ name, value }) => [String(name), value]))
  const parsed = (name: string) => {
    const value = values.get(name)
    if (value === undefined) return undefined
    // Bytes, in case of another character set.
    return parsePhpValue(value instanceof Uint8Array ? value : String(value))
  }
  const themes = ['stylesheet', 'template'].flatMap((name) => {
    const value = values.get(name)
    return value === undefined ? [] : [String(value)]
  })
  return {
    active_plugins: activePlugins(parsed('active_plugins'), parsed('active_sitewide_plugins')),
    active_themes: themes.length > 0 ? new Set(themes) : undefined,
    core: parsed('_site_transient_update_core'),
    plugins: parsed('_site_transient_update_plugins'),
    themes: parsed('_site_transient_update_themes'),
  }
}

/** The site's own plugins are the values of a list, the network's are the keys of a map. */
function activePlugins(own: PhpValue | undefined, network: PhpValue | undefined) {
  if (!(own instanceof Map)) return undefined
  const keys = network instanceof Map ? (network as PhpMap).keys() : []
  return new Set([...own.values(), ...keys].filter((file) => typeof file === 'string'))
}
