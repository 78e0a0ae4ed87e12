import type { DatabaseRow, Output, RunOptions } from '#agent/kernel/host/ports.ts'
import { file } from '#agent/kernel/host/simulated/nodes.ts'
import { done, failed, lastOf, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import type { Database, Machine } from '#scripts/demo/machine/machine.ts'
import { freshKit } from '#scripts/demo/wordpress.ts'

/** The text of a dump does not show its contents: a name stands for them. */
const dumps = new WeakMap<Machine, Map<string, Database>>()

/** Runs mariadb-dump, which xargs(1) starts with the names of the tables. */
export function dump(machine: Machine, argv: readonly string[], options: RunOptions): Output {
  const name = lastOf(argv)
  const database = machine.databases.get(name)
  if (!database || database.broken)
    return failed(`mariadb-dump: Got error: 1194: "Table 'options' is marked as crashed"`, 2)
  const text = rememberDump(machine, name, database)
  if (options.output_file === undefined) return printed(text)
  machine.disk.put(options.output_file, dumpFile(text, database))
  return done()
}

/** Lists the tables of a database, runs what a site tries with its own rights, or imports a dump. */
export function client(machine: Machine, argv: readonly string[], options: RunOptions): Output {
  if (options.input?.startsWith('DELIMITER')) return done()
  const { input_file, input = '' } = options
  const reading = readingOf(machine, lastOf(argv), input)
  if (reading !== undefined) return reading
  const isImport = input_file !== undefined || argv.includes('--binary-mode')
  if (!isImport)
    return printed(`${Buffer.from('wp_options').toString('hex')}
end
`)
  const name = lastOf(argv)
  const text = input_file === undefined ? input : (machine.disk.text(input_file) ?? '')
  const [, source] = /^-- Database: (.*)$/m.exec(text) ?? []
  if (source === undefined) return failed('ERROR 1064 (42000) at line 1')
  const kept = dumps.get(machine)?.get(source)
  machine.databases.set(name, kept ? { ...kept } : { kit: freshKit, broken: false, bytes: 4096 })
  return done()
}

/** Returns the statements of the agent about tables and options: names in hexadecimal digits. */
function readingOf({ databases }: Machine, name: string, input: string): Output | undefined {
  const database = databases.get(name)
  if (!database || !/^SELECT '(table|all0)'/m.test(input)) return undefined
  const maintained = [...input.matchAll(/^SELECT 'table', (\d+);\n(\w+) TABLE /gm)]
  if (maintained.length > 0)
    return printed(
      maintained.map(([, at]) => `table\t${at}\n${name}.t\tcheck\tstatus\tOK\n`).join(''),
    )
  if (input.includes("SELECT 'all0'")) return printed(`${OPTION_ROWS}\nend\n`)
  const rows = TABLES.map(([table, share, count]) => {
    const data = Math.round((database.bytes * share) / 16_384) * 16_384
    return ['table', hex(`wp_${table}`), 'InnoDB', count, data, 65_536, 0].join('\t')
  })
  const total = ['total', rows.length, database.bytes, 65_536 * rows.length, 0].join('\t')
  return printed([...rows, total, `options\t${hex('wp_options')}`, 'end', ''].join('\n'))
}

const hex = (text: string) => Buffer.from(text).toString('hex')
/** The tables are listed by name, share of the database, and rows. */
const TABLES = [
  ...[['posts', 0.55, 1840] as const, ['postmeta', 0.24, 9210] as const],
  ...[['options', 0.13, 412] as const, ['comments', 0.08, 320] as const],
]
const OPTION_ROWS = [
  'all0\t318\t291840',
  `one0\t${hex('rewrite_rules')}\t48120`,
  `one0\t${hex('wp_user_roles')}\t21400`,
  'expired0\t14\t20480',
].join('\n')

export function keepDump(machine: Machine, name: string, path: string, database: Database): void {
  machine.disk.put(path, dumpFile(rememberDump(machine, name, database), database))
}

const dumpFile = (text: string, { bytes }: Database) => ({
  ...file(text, { mode: 0o600 }),
  size: bytes,
})

function rememberDump(machine: Machine, name: string, database: Database): string {
  const known = dumps.get(machine) ?? new Map<string, Database>()
  dumps.set(machine, known.set(name, database))
  return `-- MariaDB dump\n-- Database: ${name}\n-- Dump completed\n`
}

/** Returns WordPress' options for the scan. Throws MariaDB's message for a broken table. */
export function query(
  { databases }: Machine,
  sql: string,
  [first]: readonly unknown[],
): DatabaseRow[] {
  const name = String(first)
  // A temporary site that attacks another one finds nothing.
  if (!sql.startsWith('SET STATEMENT') || name.startsWith('canary-')) return []
  const { kit, broken } = databases.get(name) ?? {}
  if (!kit) throw refused(1146, `Table '${name}.options' doesn't exist`)
  if (broken) throw refused(1194, `Table '${name}.options' is marked as crashed`)
  return [...kit.options]
}

/** Makes an error with MariaDB's number of the error. */
const refused = (errno: number, message: string) =>
  Object.assign(new Error(`MariaDB: ${message}`), { errno })
