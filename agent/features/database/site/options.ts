import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import {
  type AgentDatabase,
  MAX_OPTION_TABLES,
  MAX_OPTIONS,
} from '#shared/database/site-database.ts'
import { fromHex, identifier, selectAsOwner } from './select.ts'
import { unusedOptions, unusedStatements } from './unused-options.ts'

type Options = NonNullable<AgentDatabase['options']>

/** The values of `autoload` that WordPress loads with every request, also before 6.6. */
const AUTOLOADED = "autoload IN ('yes', 'on', 'auto-on', 'auto')"
const SIZE = 'IFNULL(LENGTH(option_value), 0)'
/** A timeout, and the value beside it. */
const TIMEOUT = '_transient_timeout_'

/** What WordPress loads with every request: names and sizes only, never values. */
export async function readOptions(
  host: Host,
  site: Site,
  { optionTables: tables, isNetwork }: { optionTables: readonly string[]; isNetwork: boolean },
): Promise<Options> {
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
    // Plugins can also be active in a whole network of sites, which another table knows.
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
