import { clientOf, reasonOf, tryAsOwner } from '#agent/kernel/database/as-owner.ts'
import { timeFor } from '#agent/kernel/database/dump.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { plainName, type TableAction, type TableResult } from '#shared/database/site-database.ts'
import { identifier } from './select.ts'

const STATEMENTS = {
  check: 'CHECK TABLE',
  repair: 'REPAIR TABLE',
  optimise: 'OPTIMIZE TABLE',
} as const satisfies Record<TableAction, string>

/** The limit of the account is for requests of visitors; the client has a limit of its own. */
const SESSION = 'SET SESSION max_statement_time = 0, lock_wait_timeout = 30'
/** A client takes a tenth of a second to start, and its tables are reported together. */
const MAX_IN_GROUP = 20
const MAX_BYTES_IN_GROUP = 64 * 2 ** 20

export interface SizedTable {
  name: string
  bytes: number
}

/** Small tables share a client. */
export function groupsOf(tables: readonly SizedTable[]): SizedTable[][] {
  const groups: SizedTable[][] = []
  let bytes = 0
  for (const table of tables) {
    const last = groups.at(-1)
    bytes += table.bytes
    if (last && last.length < MAX_IN_GROUP && bytes <= MAX_BYTES_IN_GROUP) last.push(table)
    else {
      groups.push([table])
      bytes = table.bytes
    }
  }
  return groups
}

/** What MariaDB answers about each table, with the rights of the site. */
export async function maintain(
  host: Host,
  user: string,
  action: TableAction,
  tables: readonly SizedTable[],
): Promise<TableResult[]> {
  const argv = ['mariadb', ...clientOf(user), '--batch', '--skip-column-names', '--', user]
  const statements = tables.flatMap(({ name }, at) => [
    `SELECT 'table', ${at}`,
    `${STATEMENTS[action]} ${identifier(name)}`,
  ])
  const input = [SESSION, ...statements].map((text) => `${text};\n`).join('')
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0)
  const output = await tryAsOwner(host, user, argv, { input, timeout_ms: timeFor(bytes) })
  if (output.code !== 0) throw failed(new CommandFailed(argv, output))
  const answers = answersIn(output.stdout)
  return tables.map(({ name }, at) => resultOf(name, answers.get(at) ?? []))
}

type Answer = [kind: string, text: string]

/** The rows after each mark: table, operation, kind and text. */
function answersIn(stdout: string): Map<number, Answer[]> {
  const answers = new Map<number, Answer[]>()
  let at = -1
  for (const row of stdout.split('\n').filter(Boolean)) {
    const [first = '', second = '', kind = '', text = ''] = row.split('\t')
    if (first === 'table' && kind === '') at = Number(second)
    else answers.set(at, [...(answers.get(at) ?? []), [kind.toLowerCase(), text]])
  }
  return answers
}

const UNSUPPORTED = /doesn't support/
/** Says only that a table was rebuilt, which is how InnoDB optimises. */
const REBUILT = /^Table does not support optimize, doing recreate/

function resultOf(name: string, answers: readonly Answer[]): TableResult {
  const reported = answers.filter(([, text]) => !REBUILT.test(text))
  const message = reported
    .filter(([kind]) => kind !== 'status')
    .map(([, text]) => text)
    .join('; ')
  return { name, state: stateOf(reported), message: plainName(message).slice(0, 300) }
}

function stateOf(reported: readonly Answer[]): TableResult['state'] {
  const [kind, text = ''] = reported.at(-1) ?? []
  if (reported.some(([, text]) => UNSUPPORTED.test(text))) return 'unsupported'
  // A repair reports what it has repaired before its status.
  if (kind !== 'status' || /^(Corrupt|Operation failed)/.test(text)) return 'failed'
  return reported.some(([kind]) => kind === 'error' || kind === 'warning') ? 'warning' : 'ok'
}

/** The client quotes statements, which contain names of the site. */
function failed(error: CommandFailed) {
  const [message] = /^ERROR \d+ \(\w+\)/m.exec(error.output.stderr) ?? []
  return new Error(`MariaDB did not work on the tables (${reasonOf(error, message)})`)
}
