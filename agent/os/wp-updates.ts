import type { Host } from '../host/ports.ts'
import { mapAt, type PhpMap, type PhpValue, parsePhpValue, textAt } from './php-value.ts'
import { compareVersions } from './version-compare.ts'
import type { WpConfig } from './wp-config.ts'

/** What WordPress wrote down about itself in its options. Undefined is unknown. */
interface WpState {
  active_plugins: ReadonlySet<string> | undefined
  /** The active theme and its parent. */
  active_themes: ReadonlySet<string> | undefined
  core: PhpValue | undefined
  plugins: PhpValue | undefined
  themes: PhpValue | undefined
}

const UNKNOWN: WpState = {
  active_plugins: undefined,
  active_themes: undefined,
  core: undefined,
  plugins: undefined,
  themes: undefined,
}

/** A site can write what it likes into its own rows: more is not brought here. */
const MAX_BYTES = 8 << 20

const OPTIONS = ['active_plugins', 'template', 'stylesheet']
const NETWORK = [
  'active_sitewide_plugins',
  '_site_transient_update_core',
  '_site_transient_update_plugins',
  '_site_transient_update_themes',
]

/**
 * Reads all of it with one SELECT from the local MariaDB (in a network, update data lies in sitemeta:
 * get_site_transient). Unknown where the database is elsewhere, absent or does not answer.
 */
export async function readState(host: Host, config: WpConfig | undefined): Promise<WpState> {
  const statement = config === undefined ? undefined : statementFor(config)
  if (!statement) return UNKNOWN
  const rows = await host.database.query(...statement).catch(() => undefined)
  return rows ? stateOf(rows) : UNKNOWN
}

/** The version that WordPress offers for each file or slug; undefined: it could not ask. */
export function offersOf(transient: PhpValue | undefined): ReadonlyMap<string, string> | undefined {
  if (mapAt(transient, 'checked') === undefined) return undefined
  const offers = new Map<string, string>()
  for (const [key, offer] of mapAt(transient, 'response') ?? []) {
    const version = textAt(offer, 'new_version')
    if (version !== undefined) offers.set(key, version)
  }
  return offers
}

/** The offered version where it is newer than the installed one, else null. */
export function newer(offered: string | undefined, installed: string): string | null {
  if (offered === undefined || offered.length > 255) return null
  return compareVersions(offered, installed) > 0 ? offered : null
}

/** The newest core that is offered and newer; `known` is false when WordPress could not ask. */
export function coreOffer(transient: PhpValue | undefined, installed: string) {
  const offers = [...(mapAt(transient, 'updates')?.values() ?? [])]
    .map((offer) => textAt(offer, 'version'))
    .filter((version) => version !== undefined)
  const update = offers
    .filter((version) => newer(version, installed) !== null)
    .reduce<string | null>((best, version) => newer(version, best ?? '') ?? best, null)
  return { known: offers.length > 0, update }
}

function statementFor({ constants, table_prefix }: WpConfig): [string, string[]] | undefined {
  const name = constants.get('DB_NAME')
  if (typeof name !== 'string' || !table_prefix || !/^\w+$/.test(table_prefix)) return undefined
  if (!isLocal(constants.get('DB_HOST'))) return undefined
  const multisite = constants.get('MULTISITE') === true
  const site = Number(constants.get('SITE_ID_CURRENT_SITE') ?? 1)
  const wanted = multisite ? OPTIONS : [...OPTIONS, ...NETWORK]
  const sql = `SELECT option_name AS name, option_value AS value FROM ??.?? WHERE option_name IN (${marks(wanted)}) AND LENGTH(option_value) <= ${MAX_BYTES}`
  const values = [name, `${table_prefix}options`, ...wanted]
  if (!multisite) return [sql, values]
  const meta = `SELECT meta_key, meta_value FROM ??.?? WHERE site_id = ? AND meta_key IN (${marks(NETWORK)}) AND LENGTH(meta_value) <= ${MAX_BYTES}`
  const more = [name, `${table_prefix}sitemeta`, String(site), ...NETWORK]
  return [`${sql} UNION ALL ${meta}`, [...values, ...more]]
}

const marks = (names: readonly string[]) => names.map(() => '?').join(', ')

/** DB_HOST is `host`, `host:port` or `localhost:/path/of/socket` (wpdb::parse_db_host). */
function isLocal(host: unknown): boolean {
  if (host === undefined || host === '') return true
  return typeof host === 'string' && /^(localhost|127\.0\.0\.1|\[?::1\]?)?(:[\d/].*)?$/.test(host)
}

function stateOf(rows: readonly Record<string, unknown>[]): WpState {
  const values = new Map(rows.map(({ name, value }) => [String(name), String(value)]))
  const parsed = (name: string) => {
    const text = values.get(name)
    return text === undefined ? undefined : parsePhpValue(text)
  }
  const themes = ['stylesheet', 'template'].flatMap((name) => values.get(name) ?? [])
  return {
    active_plugins: activePlugins(parsed('active_plugins'), parsed('active_sitewide_plugins')),
    active_themes: themes.length > 0 ? new Set(themes) : undefined,
    core: parsed('_site_transient_update_core'),
    plugins: parsed('_site_transient_update_plugins'),
    themes: parsed('_site_transient_update_themes'),
  }
}

/** The site's own are the values of a list, those of the network the keys of a map. */
function activePlugins(own: PhpValue | undefined, network: PhpValue | undefined) {
  if (!(own instanceof Map)) return undefined
  const keys = network instanceof Map ? (network as PhpMap).keys() : []
  return new Set([...own.values(), ...keys].filter((file) => typeof file === 'string'))
}
