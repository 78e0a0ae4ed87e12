import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { FeederOutput } from '#agent/kernel/host/feeder-output.ts'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { reportProgress } from '#agent/kernel/host/report-progress.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import { withSliceInUse } from '#agent/kernel/sandbox/slice.ts'
import { clientOf, runInUse, serialisedAsOwner } from './as-owner.ts'
import { folderOf, objectsIn } from './foreign-objects.ts'
import { tablesInUse, withoutOutput } from './tables.ts'
import { unlimited } from './unlimited.ts'

const MINUTE_MS = 60_000
const MAX_MS = 12 * 60 * MINUTE_MS
const MB = 2 ** 20
/**
 * The maximum size of table names per call of mariadb-dump, half of the kernel's limit: tables of
 * one call are of one moment, and 15,000 names of the greatest length fit.
 */
const MAX_ARGUMENTS = 1_000_000

/** Returns the time limit for `bytes`, at a speed that any server reaches. */
export const timeFor = (bytes: number): number =>
  Math.min(MAX_MS, 10 * MINUTE_MS + Math.ceil(bytes / MB) * 1000)

/** Returns the size of a database in bytes, by its files; undefined when it does not exist. */
export async function databaseSize(host: Host, name: string): Promise<number | undefined> {
  if ((await host.database.admin('find_database', [name])).length === 0) return undefined
  const folder = `/var/lib/mysql/${folderOf(name)}`
  const argv = ['du', '--summarize', '--apparent-size', '--block-size=1', '--', folder]
  const { stdout } = await host.shell.try(argv)
  return Number(/^\d+/.exec(stdout)?.[0] ?? 0)
}

/**
 * Dumps the tables of a database with the rights of the site to a new file of root, which is synced
 * to the disk. `size` is that of the database, in bytes. Returns the objects that the dump does not
 * contain.
 */
export async function dumpDatabase(
  host: Host,
  user: string,
  { path, size }: { path: string; size: number },
): Promise<string[]> {
  const tables = await serialisedAsOwner(host, user, async () => {
    const present = await tablesInUse(host, user)
    await runInUse(host, user, dumpArgv(user), {
      input: inputOf(present),
      output_file: path,
      file_bytes: 8 * size + 1024 * MB,
      seen: reportProgress(host, 'Dumping the database'),
      timeout_ms: timeFor(size),
    }).catch(refuseDumpFailure)
    return present
  })
  if (tables.length > 0 && !(await isWhole(host, path))) throw truncatedDump()
  await host.shell.run(['sync', '--', path])
  return leftOut(host, user)
}

/** Prints the dump of a database without tables: restic saves no empty file. */
const NO_TABLES = ['echo', '-- Dump completed: there are no tables']

/** Receives a dump on standard input, and returns its output. */
export type DumpConsumer = (
  input_from: NonNullable<RunOptions['input_from']>,
) => Promise<FeederOutput | undefined>

/** The size and digest of a dump, and what it lacks of the database. */
export interface StreamedDump extends Pick<FeederOutput, 'bytes' | 'sha256'> {
  tables: number
  /** The names of its tables. */
  names: readonly string[]
  warnings: string[]
}

interface StreamOptions {
  /** The tables to dump; undefined for all. */
  only?: readonly string[] | undefined
  /** True for a priority below that of the visitors of the site. */
  low?: boolean
}

/**
 * Dumps to a program without a file; throws also if the dump was cut off before its end. It has the
 * tables that exist when it is its turn: an import before it may create some.
 */
export async function streamDatabase(
  host: Host,
  user: string,
  size: number,
  consumer: DumpConsumer,
  { only, low = false }: StreamOptions = {},
): Promise<StreamedDump> {
  return withSliceInUse(host, user, async () => {
    const present = await tablesInUse(host, user)
    const tables = only ? present.filter((name) => only.includes(name)) : present
    return streamTables(host, user, { size, tables, low }, consumer)
  })
}

/** Dumps existing tables to a program. The caller is in `withSliceInUse`. */
export async function streamTables(
  host: Host,
  user: string,
  { size, tables, low = false }: ChosenTables,
  consumer: DumpConsumer,
): Promise<StreamedDump> {
  const limits = { network: false, home: false, low, timeout_ms: timeFor(size) }
  const options = asSite({ user }, { ...limits, input: inputOf(tables) })
  const program = { argv: tables.length > 0 ? dumpArgv(user) : NO_TABLES, options }
  const fed = await unlimited(host, user, () => consumer(program))
  if (!fed) throw new Error('The dump of the database had no reader')
  if (fed.code !== 0) {
    throw withoutOutput(new CommandFailed(program.argv, { ...fed, stdout: '' }))
  }
  if (tables.length > 0 && !DUMP_END.test(fed.end)) throw truncatedDump()
  const { bytes, sha256 } = fed
  const warnings = await leftOut(host, user)
  return { bytes, sha256, tables: tables.length, names: tables, warnings }
}

/** The tables of a database of `size` bytes. */
export interface ChosenTables {
  size: number
  tables: readonly string[]
  low?: boolean
}

/** Throws the reason why a dump failed. */
export function refuseDumpFailure(error: unknown): never {
  throw withoutOutput(error)
}

export const truncatedDump = () => new Error('The dump of the database was cut off before its end')

export const inputOf = (tables: readonly string[]) => tables.map((name) => `${name}\0`).join('')

export function dumpArgv(user: string): string[] {
  const options = ['--single-transaction', '--quick', '--skip-triggers', '--hex-blob']
  const dump = ['mariadb-dump', ...clientOf(user), ...options, '--', user]
  return ['xargs', '--null', '--no-run-if-empty', `--max-chars=${MAX_ARGUMENTS}`, ...dump]
}

/** Matches the last line that mariadb-dump writes. */
export const DUMP_END = /^-- Dump completed.*\n$/m

async function isWhole(host: Host, path: string): Promise<boolean> {
  const { stdout } = await host.shell.run(['tail', '--bytes=100', '--', path])
  return DUMP_END.test(stdout)
}

/** Returns what the dump lacks: the site neither sees nor creates triggers and events. */
async function leftOut(host: Host, user: string): Promise<string[]> {
  return [...(await absentObjects(host, user)), ...(await unsteadyTables(host, user))]
}

async function absentObjects(host: Host, user: string): Promise<string[]> {
  const counts = new Map<string, number>()
  for (const { kind } of await objectsIn(host, user)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const parts = [...counts].map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`)
  if (parts.length === 0) return []
  const list = new Intl.ListFormat('en-GB').format(parts)
  const isOne = parts.length === 1 && parts[0]?.startsWith('1 ')
  return [`Warning: ${list} ${isOne ? 'is' : 'are'} not part of the dump`]
}

/** Matches files with the rows of engines without transactions: MyISAM, Aria, CSV and ARCHIVE. */
const NON_TRANSACTIONAL_FILES = /\.(MYD|MAD|CSV|ARZ)$/

/**
 * Returns a warning if rows that are written during a dump can be missing in it, although later
 * ones are in it. Reads files, since root opens no table of a site.
 */
export async function unsteadyTables({ files }: Host, user: string): Promise<string[]> {
  const names = (await files.list(`/var/lib/mysql/${folderOf(user)}`)).map(({ name }) => name)
  const count = names.filter((name) => NON_TRANSACTIONAL_FILES.test(name)).length
  if (count === 0) return []
  const what = count === 1 ? '1 table has' : `${count} tables have`
  return [
    `Warning: ${what} an engine without transactions, so that the dump may have rows of several moments: convert to InnoDB`,
  ]
}
