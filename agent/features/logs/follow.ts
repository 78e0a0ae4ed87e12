import type { EventSource } from '#agent/kernel/calls/reading.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import {
  AgentLogPage,
  LogNews,
  type LogTailRequest,
  MAX_LIVE_LINES,
} from '#shared/logs/site-logs.ts'
import { searchLog } from './read.ts'
import { pathsOf, readerOf, rightsOf } from './sources.ts'

/** The maximum time of a connection; an open page connects again. */
const MAX_MS = 60 * 60_000
const EXTRA_MS = 60_000
/** The maximum number of programs that follow a log. */
const MAX_CONCURRENT = 16
/** The interval of reading the record of jobs, which run every five minutes. */
const JOBS_MS = 3000

/** Follows logs of sites, a limited number at a time. */
export class LogTails {
  readonly #host: Host
  #running = 0

  constructor(host: Host) {
    this.#host = host
  }

  /** Throws not_found for an unknown site, and conflict while too many are followed. */
  async start(request: LogTailRequest): Promise<EventSource<LogNews>> {
    const { user } = await getSite(this.#host, request.domain)
    if (this.#running >= MAX_CONCURRENT) {
      throw conflict('Too many logs of this server are followed now: close another live view')
    }
    this.#running += 1
    const { programs, random } = this.#host
    const operation = `logs-${random.name(12)}`
    const state = { isOver: false }
    const items =
      pathsOf(this.#host, request.source, user).length === 0
        ? followJobs(this.#host, request, state)
        : followFiles(this.#host, user, request, operation)
    const end = async () => {
      if (state.isOver) return
      state.isOver = true
      this.#running -= 1
      await programs.signal(operation, 'SIGKILL')
      await items.return().catch(() => undefined)
      await programs.forget(operation)
    }
    const next = async () => {
      const item = await items.next().catch(async (error: unknown) => {
        await end()
        throw error
      })
      if (item.done) await end()
      return item.value || undefined
    }
    return { next, end }
  }
}

async function* followFiles(
  host: Host,
  user: string,
  { source, domain: _, ...filter }: LogTailRequest,
  operation: string,
): AsyncGenerator<LogNews[], void> {
  const paths = pathsOf(host, source, user)
  const request = { ...filter, what: 'tail', source, paths, budget_ms: MAX_MS }
  const chunks = host.shell.bytes(readerOf(host), {
    ...rightsOf(host, source, user),
    input: `${JSON.stringify(request)}\n`,
    timeout_ms: MAX_MS + EXTRA_MS,
    operation,
  })
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines.flatMap((line) => parseJson(LogNews, line) ?? [])
  }
}

/** Yields the new lines by their positions. */
async function* followJobs(
  host: Host,
  { domain, ...filter }: LogTailRequest,
  state: { isOver: boolean },
): AsyncGenerator<LogNews[], void> {
  const end = host.clock.elapsed() + MAX_MS
  const limit = MAX_LIVE_LINES
  let since = new Date(host.clock.now()).toISOString()
  while (!state.isOver && host.clock.elapsed() < end) {
    yield []
    await host.clock.sleep(JOBS_MS)
    if (state.isOver) return
    const page = AgentLogPage.parse(await searchLog(host, { ...filter, domain, since, limit }))
    const lines = page.lines.toReversed()
    const last = lines.at(-1)?.at
    if (last) since = new Date(Date.parse(last) + 1).toISOString()
    yield lines.map((line) => ({ kind: 'line', line }))
  }
}
