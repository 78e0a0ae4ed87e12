import { readDigests, type TableDigest } from '#agent/kernel/database/digests.ts'
import { databaseSize, streamDatabase, timeFor } from '#agent/kernel/database/dump.ts'
import { type Import, importStream } from '#agent/kernel/database/import.ts'
import type { Fed } from '#agent/kernel/host/fed.ts'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { reportProgress } from '#agent/kernel/host/report-progress.ts'
import { FeederFailed } from '#agent/kernel/sandbox/feeders.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { AddressReport } from '#shared/copies/copy.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { type Destination, type Original, readReport, requestFor } from './addresses.ts'

/** A database that was copied. */
export interface Loaded {
  bytes: number
  tables: number
  warnings: string[]
  addresses: AddressReport
  digests: TableDigest[]
}

/** The report of a rewritten dump; the digests are of its tables before the addresses changed. */
export type Rewritten = Pick<Loaded, 'addresses' | 'digests'>

interface Into {
  /** A new file of root instead of the database. */
  path?: string
  /** Default: all. */
  tables?: readonly string[]
}

type Feeder = NonNullable<RunOptions['input_from']>
const [REWRITER, SOURCE] = [1, 2]

/**
 * The dump of a site goes through the rewriter into the database of another one, without a file:
 * dumped with the rights of the one, rewritten and imported with those of the other.
 */
export async function copyDatabase(
  host: Host,
  from: Site,
  to: Site,
  into: Into = {},
): Promise<Loaded> {
  const size = await databaseSize(host, from.user)
  if (size === undefined) throw conflict(`${from.domain} has no database`)
  let report: Rewritten | undefined
  const timeout_ms = timeFor(size)
  const dump = await taken(host, to.user, into, (load) =>
    streamDatabase(host, from.user, size, async (program) => {
      const work = { program, from, to, tables: into.tables, timeout_ms }
      const loaded = await rewritten(host, load, work)
      report = loaded.report
      return loaded.source
    }),
  )
  if (!report) throw unreported()
  const { bytes, tables, warnings } = dump
  return { bytes, tables, warnings, ...report }
}

/** The same from a dump in a file of root, whose digest was checked. */
export async function loadDump(
  host: Host,
  path: string,
  from: Original,
  to: Destination,
  into: Into = {},
): Promise<Rewritten> {
  const total = (await host.files.stat(path))?.size ?? 0
  const timeout_ms = timeFor(total)
  const program = { argv: ['cat', '--', path], options: { timeout_ms } }
  return taken(host, to.user, into, async (load) => {
    const work = { program, from, to, tables: into.tables, timeout_ms, total }
    const { source, report } = await rewritten(host, load, work)
    if (source.code !== 0 || !report) throw new Error('The dump could not be read')
    return report
  })
}

interface Work {
  program: Feeder
  from: Original
  to: Destination
  tables: readonly string[] | undefined
  timeout_ms: number
  /** The size of the dump in bytes, if it is known. */
  total?: number
}

/** Runs an import into the database of the site, or into a file. */
const taken = <T>(host: Host, user: string, { path }: Into, work: (load: Import) => Promise<T>) =>
  path === undefined ? importStream(host, user, work) : work((feeder) => toFile(host, path, feeder))

async function toFile(host: Host, path: string, { argv, options }: Feeder): Promise<Fed> {
  await host.files.remove(path)
  const output = await host.shell.try(argv, { ...options, output_file: path })
  const { code, stderr, fed } = output
  const rewriter: Fed = { code, stderr, bytes: 0, sha256: '', end: '', ...(fed && { fed }) }
  if (fed && fed.code !== 0 && code === 0) throw new FeederFailed(SOURCE, fed)
  if (code !== 0) throw new FeederFailed(REWRITER, rewriter)
  await host.shell.run(['sync', '--', path])
  return rewriter
}

/** The output of the source, and the report of the rewriter; none if the source failed. */
async function rewritten(
  host: Host,
  load: Import,
  { program, from, to, tables, timeout_ms, total }: Work,
): Promise<{ source: Fed; report?: Rewritten }> {
  const options = asSite(to, {
    ...{ input: requestFor(from, to, tables), input_from: program },
    ...{ network: false, home: false, own_program: host.settings.program, timeout_ms },
    seen: reportProgress(host, 'Copying the database', total),
  })
  try {
    const argv = [...host.settings.program, 'rewrite']
    const rewriter = await load({ argv, options }, timeout_ms)
    if (!rewriter.fed) throw unreported()
    const { stderr, fed } = rewriter
    const report = { addresses: readReport(stderr), digests: readDigests(stderr) }
    return { source: fed, report }
  } catch (error) {
    if (!(error instanceof FeederFailed)) throw error
    if (error.depth === SOURCE) return { source: error.fed }
    throw error.depth === REWRITER ? unwritten(error.fed) : error
  }
}

/** The program repeats nothing of the database in these messages. */
const KNOWN = /the dump ends inside a statement|a statement has more bytes than the limit/

function unwritten({ stderr, code }: Fed): Error {
  const reason = KNOWN.exec(stderr)?.[0] ?? `exit status ${code}`
  return new Error(`The addresses in the database could not be rewritten: ${reason}`)
}

const unreported = () => new Error('The rewriting of the database has no report')
