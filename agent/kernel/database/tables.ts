import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { clientOf, reasonOf, runInUse } from './as-owner.ts'

const MINUTE_MS = 60_000

/** The mark after a complete list, which is no name in hexadecimal digits. */
const LIST_END = 'end'

/** Selects tables by name, so that the dump contains no other objects of the database. */
const LIST = `SET SESSION max_statement_time = 60, lock_wait_timeout = 10;
SELECT HEX(TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()
  AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'SEQUENCE');
SELECT '${LIST_END}';
`

/** Selects few and small tables: they are dumped on the mere suspicion that they have changed. */
const RECENT = `SELECT HEX(TABLE_NAME), DATA_LENGTH FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'
  AND UPDATE_TIME > NOW() - INTERVAL 10 MINUTE AND DATA_LENGTH < 4194304
  ORDER BY UPDATE_TIME DESC LIMIT 10;
`

const MAX_RECENT_BYTES = 8 * 2 ** 20

/** Lists all tables of a site, for a caller in `withSliceInUse`. */
export async function tablesInUse(host: Host, user: string): Promise<string[]> {
  return (await runList(host, user, LIST)).tables
}

/**
 * Lists all tables, and those that were written in the last minutes as far as MariaDB remembers: a
 * hint, which is lost when it restarts, and which the clock may make wrong.
 */
export const recentTables = (
  host: Host,
  user: string,
): Promise<{ tables: string[]; recent: string[] }> => runList(host, user, `${LIST}${RECENT}`)

async function runList(host: Host, user: string, input: string) {
  const client = ['mariadb', ...clientOf(user), '--batch', '--skip-column-names']
  const options = { input, timeout_ms: 5 * MINUTE_MS }
  const { stdout } = await runInUse(host, user, [...client, '--', user], options).catch(listOf)
  const lines = linesOf(stdout)
  const end = lines.indexOf(LIST_END)
  if (end < 0) throw new Error('The list of the tables was cut off before its end')
  return { tables: lines.slice(0, end).map(nameOf), recent: recentOf(lines.slice(end + 1)) }
}

/** Returns the whole list, if the failure came after it. */
function listOf(error: unknown): { stdout: string } {
  const lines = error instanceof CommandFailed ? linesOf(error.output.stdout) : []
  const end = lines.indexOf(LIST_END)
  if (end < 0) throw withoutOutput(error)
  return { stdout: lines.slice(0, end + 1).join('\n') }
}

/** Returns the names of the tables that were written last, without those that would make the dump too large. */
function recentOf(lines: readonly string[]): string[] {
  let total = 0
  return lines.flatMap((line) => {
    const [hex = '', bytes] = line.split('\t')
    if (!(total + Number(bytes) <= MAX_RECENT_BYTES)) return []
    total += Number(bytes)
    return [nameOf(hex)]
  })
}

const linesOf = (text: string): string[] => text.split('\n').filter(Boolean)

const nameOf = (hex: string): string => Buffer.from(hex, 'hex').toString('utf8')

/** Returns MariaDB's own error only: other output of the client can contain data of the site. */
export function withoutOutput(error: unknown): unknown {
  if (!(error instanceof CommandFailed)) return error
  const number = /(?:error:?|ERROR) (\d{4,5})/i.exec(error.output.stderr)?.[1]
  const why = reasonOf(error, number && `error ${number} of MariaDB`)
  return new Error(`The database could not be dumped (${why})`)
}
