import { identifier } from '#agent/features/database/site/select.ts'
import { readTables } from '#agent/features/database/site/tables.ts'
import { clientOf, reasonOf, tryAsOwner } from '#agent/kernel/database/as-owner.ts'
import { timeFor } from '#agent/kernel/database/dump.ts'
import { change, run } from '#agent/kernel/effects/effects.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, type Progress, stepResult } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { plainName, type TableAction, type TableResult } from '#shared/database/site-database.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'

const STATEMENTS = {
  check: 'CHECK TABLE',
  repair: 'REPAIR TABLE',
  optimise: 'OPTIMIZE TABLE',
} as const satisfies Record<TableAction, string>

/** Disables the time limit of the account for visitors' requests; the client has its own. */
const SESSION = 'SET SESSION max_statement_time = 0, lock_wait_timeout = 30'
/** The number of tables for one client, whose start takes 0.1 s, and for one report. */
const MAX_IN_GROUP = 20
const MAX_BYTES_IN_GROUP = 64 * 2 ** 20

interface SizedTable {
  name: string
  bytes: number
}

function groupsOf(tables: readonly SizedTable[]): SizedTable[][] {
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

/** Returns MariaDB's answers about each table, with the rights of the site. */
async function maintain(
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
  if (output.code !== 0) throw maintenanceError(new CommandFailed(argv, output))
  const answers = answersIn(output.stdout)
  return tables.map(({ name }, at) => resultOf(name, answers.get(at) ?? []))
}

type TableAnswer = [kind: string, text: string]

/** Returns the rows after each mark: table, operation, kind and text. */
function answersIn(stdout: string): Map<number, TableAnswer[]> {
  const answers = new Map<number, TableAnswer[]>()
  let at = -1
  for (const row of stdout.split('\n').filter(Boolean)) {
    const [first = '', second = '', kind = '', text = ''] = row.split('\t')
    if (first === 'table' && kind === '') at = Number(second)
    else answers.set(at, [...(answers.get(at) ?? []), [kind.toLowerCase(), text]])
  }
  return answers
}

const UNSUPPORTED = /doesn't support/
/** MariaDB's note for a table that was rebuilt, which is how InnoDB optimises. */
const REBUILT = /^Table does not support optimize, doing recreate/

function resultOf(name: string, answers: readonly TableAnswer[]): TableResult {
  const reported = answers.filter(([, text]) => !REBUILT.test(text))
  const message = reported
    .filter(([kind]) => kind !== 'status')
    .map(([, text]) => text)
    .join('; ')
  return { name, state: stateOf(reported), message: plainName(message).slice(0, 300) }
}

function stateOf(reported: readonly TableAnswer[]): TableResult['state'] {
  const [kind, text = ''] = reported.at(-1) ?? []
  if (reported.some(([, text]) => UNSUPPORTED.test(text))) return 'unsupported'
  // A repair reports what it has repaired before its status.
  if (kind !== 'status' || /^(Corrupt|Operation failed)/.test(text)) return 'failed'
  return reported.some(([kind]) => kind === 'error' || kind === 'warning') ? 'warning' : 'ok'
}

/** Leaves out the output of the client, which quotes statements with names of the site. */
function maintenanceError(error: CommandFailed) {
  const [message] = /^ERROR \d+ \(\w+\)/m.exec(error.output.stderr) ?? []
  return new Error(`MariaDB did not work on the tables (${reasonOf(error, message)})`)
}

type MaintainParams = ParamsOf<'database.maintain'>

const TITLES = { check: 'Checking', repair: 'Repairing', optimise: 'Optimising' }
const WORDS = { ok: 'OK', warning: 'warning', failed: 'failed', unsupported: 'not supported' }
const MB = 2 ** 20
/** The free space beside the copy of a table that MariaDB writes. */
const SPARE = 1024 * MB

const maintained = stepResult<TableResult[]>('The tables have no results')

/** Reports a broken table as a result with a warning; a full disk fails the operation. */
export const databaseMaintain = command('database.maintain', {
  ...onSite,
  async check(params, host) {
    const site = await getSite(host, params.domain)
    const tables = await chosenTables(host, site, params)
    if (params.action !== 'check') await refuseFullDisk(host, tables)
    return { site, tables }
  },
  find: async () => undefined,
  steps({ params: { domain, action }, host, site, tables, gives }) {
    const effect = action === 'check' ? run : change
    return [
      {
        name: 'tables',
        title: `${TITLES[action]} ${tables.length} tables of ${domain}`,
        effects: tables.map(({ name }) => effect('table', plainName(name) || '?')),
        apply: gives(maintained, () => maintainTables(host, site, action, tables)),
      },
    ]
  },
  result({ params: { domain, action }, get, warn }) {
    const results = get(maintained)
    const broken = results.filter(({ state }) => state === 'failed')
    if (broken.length > 0) {
      const names = broken.slice(0, 10).map(({ name }) => plainName(name))
      const message = `${broken.length} of ${results.length} tables failed: ${names.join(', ')}`
      warn({ code: 'tables_failed', message })
    }
    return { domain, action, tables: results }
  },
})

async function* maintainTables(
  host: Host,
  { user }: Site,
  action: MaintainParams['action'],
  tables: readonly SizedTable[],
): Progress<TableResult[]> {
  const results: TableResult[] = []
  for (const group of groupsOf(tables)) {
    for (const result of await maintain(host, user, action, group)) {
      const { name, state, message } = result
      if (state === 'failed' && isDiskFull(message))
        throw new Error(`${plainName(name)} could not be copied: ${message}`)
      results.push(result)
      yield `${plainName(name)}: ${WORDS[state]}${message === '' ? '' : ` (${message})`}`
    }
  }
  return results
}

/** Returns the tables, largest first. Throws not_found for the first one that is missing. */
async function chosenTables(host: Host, site: Site, params: MaintainParams): Promise<SizedTable[]> {
  const { tables } = await readTables(host, site)
  const sized = tables.tables.map(({ name, data_bytes, index_bytes }) => ({
    name,
    bytes: data_bytes + index_bytes,
  }))
  const missing = params.tables?.find((name) => !sized.some((table) => table.name === name))
  if (missing !== undefined) throw notFound(`Table ${plainName(missing)} of ${site.domain}`)
  const chosen = sized.filter(({ name }) => params.tables?.includes(name) ?? true)
  if (chosen.length === 0) throw conflict(`The database of ${site.domain} has no tables`)
  return chosen
}

/** Refuses when the copy of the largest table does not fit: MariaDB writes one after another. */
async function refuseFullDisk({ files }: Host, [largest]: readonly SizedTable[]): Promise<void> {
  const needed = (largest?.bytes ?? 0) + SPARE
  const { free } = await files.space('/var/lib/mysql')
  if (free >= needed) return
  const [left, least] = [free, needed].map((bytes) => `${Math.floor(bytes / MB)} MB`)
  const message = `Only ${left} are free for databases on this server, and this needs ${least}`
  throw conflict(message, 'disk_full')
}
