import { z } from 'zod'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { debugLogOf } from '#agent/kernel/sandbox/debug.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import {
  AgentFatals,
  AgentLog,
  AgentLogPage,
  type AgentLogs,
  LOG_SOURCES,
  type LogDownloadRequest,
  type LogFatalsRequest,
  type LogFilter,
  type LogSearchRequest,
  type LogSource,
} from '#shared/logs/site-logs.ts'
import { pathsOf, readerOf, recordProgram, rightsOf } from './sources.ts'

/** The time limit of one call, whose answer says how far it read. */
const BUDGET_MS = 4000
const DOWNLOAD_MS = 20_000
/** The additional time after which the reader is ended; it ends itself before. */
const SPARE_MS = 20_000
/** The exit status of the reader when the file of a position is gone. */
const GONE = 3

type ReaderMode = 'list' | 'search' | 'fatals' | 'download' | 'output'
/** The runs of jobs by their invocation, and the number of characters of each output. */
interface RunsRequest {
  runs: string[]
  chars: number
  since: string
}
type PageOptions = { limit?: number; before?: string | undefined }
type ReaderRequest = LogFilter & PageOptions & Partial<Pick<RunsRequest, 'runs' | 'chars'>>

/** Lists the logs of a site, with the size of their files. Throws not_found for an unknown site. */
export async function listLogs(host: Host, domain: string): Promise<AgentLogs> {
  const { user, debug } = await getSite(host, domain)
  const found = LOG_SOURCES.map(async (source) => {
    const isFile = pathsOf(host, source, user).length > 0
    const files = isFile
      ? parsed(ListedLog, await runReader(host, user, source, 'list', {}))
      : NO_FILE
    return { ...files, source }
  })
  return { logs: await Promise.all(found), debug_until: debugEnd(host, debug) }
}

const NO_FILE = { files: 0, bytes: null, changed_at: null }

/** Returns the end of debugging; a past one is about to be applied. */
const debugEnd = ({ clock }: Host, debug: Site['debug']) =>
  debug && Date.parse(debug.until) > clock.now() ? debug.until : null

const ListedLog = AgentLog.omit({ source: true })

/** Returns one page of a log, newest line first, without secrets. */
export async function searchLog(
  host: Host,
  { domain, source, ...request }: LogSearchRequest,
): Promise<AgentLogPage> {
  const { user } = await getSite(host, domain)
  return parsed(AgentLogPage, await runReader(host, user, source, 'search', request))
}

/** Groups the fatal errors of the PHP of a site by the plugin or theme that they come from. */
export async function groupFatals(
  host: Host,
  { domain, since }: LogFatalsRequest,
): Promise<AgentFatals> {
  const { user } = await getSite(host, domain)
  return parsed(AgentFatals, await runReader(host, user, 'php', 'fatals', { since }))
}

/** Returns the newest matching lines as text, oldest first. */
export async function downloadLog(
  host: Host,
  { domain, source, ...filter }: LogDownloadRequest,
): Promise<string> {
  const { user } = await getSite(host, domain)
  return runReader(host, user, source, 'download', filter)
}

/** Returns the end of the output of runs of jobs by their invocation. Requires systemd. */
export async function readOutputs(
  host: Host,
  user: string,
  request: RunsRequest,
): Promise<Record<string, string>> {
  return parsed(Outputs, await runReader(host, user, 'cron', 'output', request))
}

const Outputs = z.record(z.string(), z.string())

/** Runs the reader. Throws conflict for a position whose file is gone. */
async function runReader(
  host: Host,
  user: string,
  source: LogSource,
  what: ReaderMode,
  request: ReaderRequest,
): Promise<string> {
  const budget_ms = what === 'download' ? DOWNLOAD_MS : BUDGET_MS
  const usual = pathsOf(host, source, user)
  // A debug log has the fatal errors of its time.
  const paths = what === 'fatals' ? [...usual, debugLogOf(user)] : usual
  const all = { ...request, what, source, paths, budget_ms }
  const timeout_ms = 4 * budget_ms + SPARE_MS
  const options: RunOptions = {
    ...rightsOf(host, source, user),
    input: `${JSON.stringify(all)}\n`,
    timeout_ms,
  }
  const argv = usual.length === 0 ? recordProgram(user) : undefined
  const { code, stdout, stderr } = await host.shell.try(
    readerOf(host),
    argv ? { ...options, input_from: { argv, options: { timeout_ms } } } : options,
  )
  if (code === GONE) throw conflict('The log was rotated since: search again')
  if (code === 0) return stdout
  throw new Error(`The log could not be read (exit status ${code}): ${stderr.slice(-500)}`)
}

function parsed<S extends z.ZodType>(schema: S, text: string): z.output<S> {
  const answer = parseJson(schema, text)
  if (answer === undefined) throw new Error('The reader of logs returned no answer')
  return answer
}
