import { clientOf, tryAsOwner } from '#agent/kernel/database/as-owner.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** The time limit of one statement; `LIMIT_MS` is that of the client for all of them. */
const LIMIT_SECONDS = 20
const LIMIT_MS = 60_000
/** The mark after the last row, which proves that the rows are complete: no row begins with it. */
const END = 'end'

/**
 * Runs statements with the rights of a site and returns their rows, without NULL. Names must be in
 * hexadecimal digits, as the site chooses them. Throws conflict with MariaDB's number of the error.
 */
export async function selectAsOwner(
  host: Host,
  { user, domain }: { user: string; domain: string },
  statements: readonly string[],
): Promise<string[][]> {
  const argv = ['mariadb', ...clientOf(user), '--batch', '--skip-column-names', '--', user]
  const session = `SET SESSION max_statement_time = ${LIMIT_SECONDS}, lock_wait_timeout = 5`
  const input = [session, ...statements, `SELECT '${END}'`].map((text) => `${text};\n`).join('')
  const output = await tryAsOwner(host, user, argv, { input, timeout_ms: LIMIT_MS })
  if (output.code !== 0) throw unreadableError(domain, new CommandFailed(argv, output))
  const rows = output.stdout.split('\n').filter(Boolean)
  if (rows.pop() !== END) throw conflict(`The database of ${domain} could not be read to its end`)
  return rows.map((row) => row.split('\t'))
}

/** Leaves out other output of the client, which can contain data of the site. */
function unreadableError(domain: string, { output }: CommandFailed) {
  const number = /ERROR (\d{4,5})/.exec(output.stderr)?.[1]
  const why = number === undefined ? `exit status ${output.code}` : `error ${number} of MariaDB`
  return conflict(`The database of ${domain} could not be read (${why})`)
}

/** Decodes MariaDB's HEX() of a text. */
export const fromHex = (text = ''): string => Buffer.from(text, 'hex').toString('utf8')

export const identifier = (name: string): string => `\`${name.replaceAll('`', '``')}\``
