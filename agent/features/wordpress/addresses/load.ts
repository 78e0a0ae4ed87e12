import { readDigests, type TableDigest } from '#agent/kernel/database/digests.ts'
import { databaseSize, streamDatabase, timeFor } from '#agent/kernel/database/dump.ts'
import { type ImportDump, importStream } from '#agent/kernel/database/import.ts'
import type { FeederOutput } from '#agent/kernel/host/feeder-output.ts'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { reportProgress } from '#agent/kernel/host/report-progress.ts'
import { FeederFailed } from '#agent/kernel/sandbox/feeder-failed.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { AddressReport } from '#shared/copies/copy-source.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { type DestinationSite, type OriginalSite, readReport, requestFor } from './addresses.ts'

export interface CopiedDatabase {
  bytes: number
  tables: number
  warnings: string[]
  addresses: AddressReport
  digests: TableDigest[]
}

/** The report of a rewritten dump; the digests are of its tables before the addresses changed. */
export type RewriteResult = Pick<CopiedDatabase, 'addresses' | 'digests'>

interface CopyTarget {
  /** The path of a new file of root that gets the dump instead of the database. */
  path?: string
  /** All tables by default. */
  tables?: readonly string[]
}

type Feeder = NonNullable<RunOptions['input_from']>
const [REWRITER, SOURCE] = [1, 2]

/**
 * Copies the dump of a site through the rewriter into the database of another one, without a file:
 * dumped with the rights of the one, rewritten and imported with those of the other.
 */
export async function copyDatabase(
  host: Host,
  from: Site,
  to: Site,
  into: CopyTarget = {},
): Promise<CopiedDatabase> {
  const size = await databaseSize(host, from.user)
  if (size === undefined) throw conflict(`${from.domain} has no database`)
  let report: RewriteResult | undefined
  const timeout_ms = timeFor(size)
  const dump = await importInto(host, to.user, into, (load) =>
    streamDatabase(host, from.user, size, async (program) => {
      const work = { program, from, to, tables: into.tables, timeout_ms }
      const loaded = await runRewriter(host, load, work)
      report = loaded.report
      return loaded.source
    }),
  )
  if (!report) throw missingReport()
  const { bytes, tables, warnings } = dump
  return { bytes, tables, warnings, ...report }
}

/** Loads a dump from a file of root, whose digest was checked. */
export async function loadDump(
  host: Host,
  path: string,
  from: OriginalSite,
  to: DestinationSite,
  into: CopyTarget = {},
): Promise<RewriteResult> {
  const total = (await host.files.stat(path))?.size ?? 0
  const timeout_ms = timeFor(total)
  const program = { argv: ['cat', '--', path], options: { timeout_ms } }
  return importInto(host, to.user, into, async (load) => {
    const work = { program, from, to, tables: into.tables, timeout_ms, total }
    const { source, report } = await runRewriter(host, load, work)
    if (source.code !== 0 || !report) throw new Error('The dump could not be read')
    return report
  })
}

interface RewriteOptions {
  program: Feeder
  from: OriginalSite
  to: DestinationSite
  tables: readonly string[] | undefined
  timeout_ms: number
  /** The size of the dump in bytes, if it is known. */
  total?: number
}

/** Runs an import into the database of the site, or into a file. */
const importInto = <T>(
  host: Host,
  user: string,
  { path }: CopyTarget,
  work: (load: ImportDump) => Promise<T>,
) =>
  path === undefined ? importStream(host, user, work) : work((feeder) => toFile(host, path, feeder))

async function toFile(host: Host, path: string, { argv, options }: Feeder): Promise<FeederOutput> {
  await host.files.remove(path)
  const output = await host.shell.try(argv, { ...options, output_file: path })
  const { code, stderr, fed } = output
  const rewriter: FeederOutput = {
    code,
    stderr,
    bytes: 0,
    sha256: '',
    end: '',
    ...(fed && { fed }),
  }
  if (fed && fed.code !== 0 && code === 0) throw new FeederFailed(SOURCE, fed)
  if (code !== 0) throw new FeederFailed(REWRITER, rewriter)
  await host.shell.run(['sync', '--', path])
  return rewriter
}

/** Returns the output of the source, and the report of the rewriter; none if the source failed. */
async function runRewriter(
  host: Host,
  load: ImportDump,
  { program, from, to, tables, timeout_ms, total }: RewriteOptions,
): Promise<{ source: FeederOutput; report?: RewriteResult }> {
  const options = asSite(to, {
    input: requestFor(from, to, tables),
    input_from: program,
    network: false,
    home: false,
    own_program: host.settings.program,
    timeout_ms,
    seen: reportProgress(host, 'Copying the database', total),
  })
  try {
    const argv = [...host.settings.program, 'rewrite']
    const rewriter = await load({ argv, options }, timeout_ms)
    if (!rewriter.fed) throw missingReport()
    const { stderr, fed } = rewriter
    const report = { addresses: readReport(stderr), digests: readDigests(stderr) }
    return { source: fed, report }
  } catch (error) {
    if (!(error instanceof FeederFailed)) throw error
    if (error.depth === SOURCE) return { source: error.fed }
    throw error.depth === REWRITER ? rewriterError(error.fed) : error
  }
}

/** Messages of the program that repeat nothing of the database. */
const KNOWN_REASONS = /the dump ends inside a statement|a statement has more bytes than the limit/

function rewriterError({ stderr, code }: FeederOutput): Error {
  const reason = KNOWN_REASONS.exec(stderr)?.[0] ?? `exit status ${code}`
  return new Error(`The addresses in the database could not be rewritten: ${reason}`)
}

const missingReport = () => new Error('The rewriting of the database has no report')
