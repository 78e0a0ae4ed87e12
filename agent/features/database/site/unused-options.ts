import type { AgentDatabase } from '#shared/database/site-database.ts'
import { KNOWN_PLUGINS } from './known-plugins.ts'

type Unused = NonNullable<AgentDatabase['options']>[number]['unused']

const like = (text: string) => text.replaceAll(/[\\_%]/g, '\\$&')
const OWNER = [
  'CASE',
  ...KNOWN_PLUGINS.map(({ prefixes }, at) => {
    const named = prefixes.map((prefix) => `option_name LIKE '${like(prefix)}%'`)
    return `WHEN ${named.join(' OR ')} THEN '${at}'`
  }),
  'END',
].join(' ')

/** Whether a list of active plugins has a folder; the list itself stays in the database. */
const ACTIVE = KNOWN_PLUGINS.map(({ slugs }) => {
  const found = slugs.map((slug) => `INSTR(option_value, '"${slug}/') > 0`)
  return `(${found.join(' OR ')})`
}).join(', ')

/** Of a quoted table, with the condition for options that are loaded with every request. */
export const unusedStatements = (
  table: string,
  at: number,
  { autoloaded, size }: { autoloaded: string; size: string },
): string[] => [
  `SELECT 'active${at}', ${ACTIVE} FROM ${table} WHERE option_name = 'active_plugins'`,
  `SELECT 'owner${at}', ${OWNER} AS owner, COUNT(*), SUM(${size}) FROM ${table} WHERE ${autoloaded}
  GROUP BY owner HAVING owner IS NOT NULL LIMIT 100`,
]

/**
 * Options of known plugins that are not active. `active`: for each known plugin 0 or 1; empty if the
 * list is unknown.
 */
export function unusedOptions(active: readonly string[], owners: readonly string[][]): Unused {
  return owners
    .flatMap(([owner = '', count, bytes]): Unused => {
      const sizes = { count: Number(count), bytes: Number(bytes) }
      const plugin = KNOWN_PLUGINS[Number(owner)]
      return plugin && active[Number(owner)] === '0' ? [{ plugin: plugin.name, ...sizes }] : []
    })
    .sort((one, other) => other.bytes - one.bytes)
}
