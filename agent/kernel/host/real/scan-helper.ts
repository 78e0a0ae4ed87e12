import { Buffer } from 'node:buffer'
import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import {
  MAX_LINE_BYTES,
  SCAN_ANSWERS,
  type ScanKind,
  ScanLine,
  type ScanRequest,
} from '#agent/kernel/host/scan-lines.ts'
import type { ScanReading, SiteReader, TenantSite } from '#agent/kernel/host/scanner-port.ts'
import { parseJson } from '#shared/kernel/parse.ts'

export interface HelperProcess extends Pick<ChildProcess, 'stdin' | 'stdout' | 'once'> {
  /** The end of its standard error. */
  complaint(): string
  kill(): void
}

export interface HelperTimes {
  /** The silence limit while it starts, or queries databases, which answer within two seconds. */
  silence_ms: number
  /** The silence limit while it reads the files of one site: the scan itself stops after a second. */
  reading_ms: number
  /** The idle time after which the helper ends. */
  idle_ms: number
}

interface WaitingRequest {
  line: string
  docroot: string
  /** The number of processes that ended before they read any site. */
  lost: number
  resolve(result: unknown): void
  reject(error: Error): void
}

/** The time for which a site whose files hang is not read again. */
const HUNG_MS = 60_000
const DEFAULT_TIMES: HelperTimes = { silence_ms: 12_000, reading_ms: 1700, idle_ms: 300_000 }
const MAX_LOST = 3
const SILENT = 'it did not answer in time'

/**
 * Reads sites in a separate process, which starts with the first request. When it dies or is silent
 * for too long, the site that it was reading fails; the other requests go to a new process.
 */
export class ScanHelper implements SiteReader {
  readonly #start: () => HelperProcess
  readonly #ready: () => Promise<void>
  readonly #times: HelperTimes
  readonly #waiting = new Map<number, WaitingRequest>()
  #process: HelperProcess | undefined
  /** The hanging docroots, and the times until which they are not read. */
  readonly #hung = new Map<string, number>()
  #reading: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #last = 0

  /** `ready` is awaited before a process starts. */
  constructor(start: () => HelperProcess, times = DEFAULT_TIMES, ready = async () => {}) {
    this.#start = start
    this.#ready = ready
    this.#times = times
  }

  async inventory(site: TenantSite, facts?: string) {
    return withUndefined(await this.#request('inventory', SCAN_ANSWERS.inventory, site, facts))
  }

  application(site: TenantSite, facts?: string) {
    return this.#request('application', SCAN_ANSWERS.application, site, facts)
  }

  database(site: TenantSite, facts?: string) {
    return this.#request('database', SCAN_ANSWERS.database, site, facts)
  }

  async databasePassword(site: TenantSite, facts?: string) {
    return withUndefined(
      await this.#request('databasePassword', SCAN_ANSWERS.databasePassword, site, facts),
    )
  }

  async #request<T>(
    kind: ScanKind,
    schema: z.ZodType<T>,
    site: TenantSite,
    facts?: string,
  ): Promise<T> {
    if ((this.#hung.get(site.docroot) ?? 0) > performance.now()) throw unreadable('its files hang')
    this.#last += 1
    const given = facts === undefined ? {} : { facts }
    const request: ScanRequest = { id: this.#last, kind, site, ...given }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const line = `${JSON.stringify(request)}\n`
    const waiting = { line, docroot: site.docroot, lost: 0, resolve, reject }
    await this.#ready()
    this.#waiting.set(request.id, waiting)
    this.#send(waiting)
    const answer = schema.safeParse(await promise)
    if (!answer.success) throw new Error('The scan returned an answer that cannot be used')
    return answer.data
  }

  #hangs({ docroot }: WaitingRequest): void {
    const now = performance.now()
    for (const [known, until] of this.#hung) if (until <= now) this.#hung.delete(known)
    this.#hung.set(docroot, now + HUNG_MS)
  }

  #send(waiting: WaitingRequest): void {
    this.#process ??= this.#open()
    this.#process.stdin?.write(waiting.line)
    this.#watch()
  }

  #open(): HelperProcess {
    const helper = this.#start()
    const lost = (reason: string) => this.#lost(helper, reason)
    helper.once('error', (error) => lost(error.message))
    helper.once('close', (code) => lost(`it ended with status ${code}`))
    helper.stdin?.on('error', () => undefined)
    if (helper.stdout) {
      eachLine(helper.stdout, MAX_LINE_BYTES, (line) => {
        if (line === undefined) lost('its answer is too long')
        else if (helper === this.#process) this.#answered(helper, line)
      })
    }
    return helper
  }

  #answered(helper: HelperProcess, text: string): void {
    const line = parseJson(ScanLine, text)
    if (!line) this.#lost(helper, 'it answered something else')
    else if ('reading' in line) this.#reads(line)
    else this.#settle(line)
    this.#watch()
  }

  #reads({ id, reading }: { id: number; reading: boolean }): void {
    if (reading) this.#reading = id
    else if (this.#reading === id) this.#reading = undefined
  }

  #settle(line: Exclude<ScanLine, { reading: boolean }>): void {
    const waiting = this.#waiting.get(line.id)
    this.#waiting.delete(line.id)
    if ('error' in line) waiting?.reject(new Error(line.error))
    else waiting?.resolve(line.result)
    if (this.#reading === line.id) this.#reading = undefined
  }

  /** Sets the one timer: for a silent helper during requests, else for an idle one. */
  #watch(): void {
    clearTimeout(this.#timer)
    const helper = this.#process
    if (!helper) return
    const busy = this.#waiting.size > 0
    const reason = busy ? SILENT : 'it had nothing to do'
    const reading = this.#reading === undefined ? this.#times.silence_ms : this.#times.reading_ms
    const wait = busy ? reading : this.#times.idle_ms
    this.#timer = setTimeout(() => this.#lost(helper, reason), wait)
    this.#timer.unref?.()
  }

  #lost(helper: HelperProcess, reason: string): void {
    if (helper !== this.#process) return
    this.#process = undefined
    clearTimeout(this.#timer)
    helper.kill()
    const guilty = this.#reading
    const silent = reason === SILENT
    const why = [reason, helper.complaint()].filter(Boolean).join(': ')
    this.#reading = undefined
    for (const [id, waiting] of [...this.#waiting]) {
      if (guilty === undefined) waiting.lost += 1
      if (id !== guilty && waiting.lost < MAX_LOST) {
        this.#send(waiting)
        continue
      }
      this.#waiting.delete(id)
      if (id === guilty && silent) this.#hangs(waiting)
      waiting.reject(unreadable(why))
    }
  }
}

const unreadable = (why: string) => new Error(`The site could not be read: ${why}`)

/** Turns null, the missing answer on the wire, into undefined. */
function withUndefined<T>({ answer, ...read }: ScanReading<T | null>): ScanReading<T | undefined> {
  return { ...read, answer: answer ?? undefined }
}

/** Calls `line` with each line of a stream, and with undefined at the end if a line is too long. */
function eachLine(stream: Readable, most: number, line: (text: string | undefined) => void): void {
  let parts: Buffer[] = []
  let size = 0
  stream.on('data', function read(data: Buffer | string) {
    let rest = Buffer.from(data)
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      line(Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8'))
      parts = []
      size = 0
      rest = rest.subarray(end + 1)
    }
    parts.push(rest)
    size += rest.length
    if (size <= most) return
    stream.off('data', read)
    parts = []
    line(undefined)
  })
}
