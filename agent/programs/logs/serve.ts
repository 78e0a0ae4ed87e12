import { Buffer } from 'node:buffer'
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  lstatSync,
  readdirSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { setPriority } from 'node:os'
import process from 'node:process'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'
import {
  type AgentLogLine,
  LOG_ROTATIONS,
  type LogNews,
  MAX_DOWNLOAD,
  MAX_LIVE_LINES,
  MAX_LOG_BYTES,
  MAX_LOG_LINE,
} from '#shared/logs/site-logs.ts'
import { groupFatals } from './fatals.ts'
import { closeLogs, type LogFile, openLog, openLogs, readAt } from './files.ts'
import { JOB_LINE } from './formats.ts'
import { readInput, searchInput } from './input.ts'
import { candidatesIn, type LogCandidate, matchOf, queryOf } from './matches.ts'
import { backwards, firstBegin, type LogRegion, unzippedRegions } from './regions.ts'
import { ReadRequest } from './request.ts'
import { PositionGone, search, searchMatches } from './search.ts'

/** The priority of the program, behind that of visitors. */
const LOW_PRIORITY = 10
/** The exit status for a position whose file is gone. */
const GONE = 3

/**
 * `hosting-agent logs`: reads or rotates logs with the rights of their owner, for the request on the
 * first line of the standard input, and writes only masked text. A log without a file follows the
 * request.
 */
export async function logs(): Promise<void> {
  // The agent may already have a lower priority, which only root could raise.
  undefinedIfThrows(() => setPriority(LOW_PRIORITY))
  const { request: text, rest } = readInput()
  const request = ReadRequest.parse(JSON.parse(text))
  try {
    await answer(request, rest)
  } catch (error) {
    if (!(error instanceof PositionGone)) throw error
    process.exit(GONE)
  }
  process.exit(0)
}

async function answer(request: ReadRequest, rest: Buffer): Promise<void> {
  const { what, paths } = request
  if (what === 'tail') return tail(request, write)
  if (what === 'rotate') {
    for (const folder of paths) await rotateLogs(folder, Date.now())
    return
  }
  if (what === 'download') {
    return write(paths.length === 0 ? linesOf(rest, request) : await download(request))
  }
  const result = {
    list: () => listFiles(paths),
    search: () => (paths.length === 0 ? searchInput(rest, request) : search(request)),
    fatals: () => groupFatals(request),
    output: () => outputsOf(request),
  }
  write(`${JSON.stringify(await result[what]())}\n`)
}

/** Returns the lines of a log without a file, oldest first. */
function linesOf(bytes: Buffer, request: ReadRequest): string {
  const lines: AgentLogLine[] = []
  for (let before: string | null | undefined; before !== null; ) {
    const page = searchInput(bytes, { ...request, ...(before && { before }) })
    lines.push(...page.lines)
    before = page.next
  }
  return lines
    .toReversed()
    .map(({ at, text }) => `${at} ${text}\n`)
    .join('')
}

function listFiles(paths: readonly string[]) {
  const files = openLogs(paths)
  closeLogs(files)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const newest = files[0]
  const changed_at = newest ? new Date(newest.at).toISOString() : null
  return { files: files.length, bytes, changed_at }
}

function write(text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EPIPE') process.exit(0)
      if (code !== 'EAGAIN') throw error
      Atomics.wait(pause, 0, 0, 1)
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4))

/** The newest matching lines as text, oldest first, and whether older ones were left out. */
async function download(request: ReadRequest): Promise<string> {
  const lines: string[] = []
  let size = 0
  const { next } = await searchMatches(request, ({ whole, line }) => {
    const text = line.cut ? `${whole} [cut]` : whole
    size += Buffer.byteLength(text) + 1
    if (size > MAX_DOWNLOAD) return false
    lines.push(text)
    return true
  })
  const isCut = next !== null || size > MAX_DOWNLOAD
  if (isCut) lines.push('[Older lines are left out: a download has at most 20 MiB]')
  return lines
    .reverse()
    .map((line) => `${line}\n`)
    .join('')
}

const WEEK_MS = 7 * 24 * 3_600_000
const BLOCK_BYTES = 512
/** The maximum number of logs: a site may create any number of names. */
const MAX_LOGS = 50

/**
 * Rotates the logs of a folder with the rights of their owner: each file `*.log` that has more than 50 MB
 * on the disk, or whose first line is older than a week. Programs open these logs for each line,
 * so that a renamed log loses none; the last but one file is compressed, after all of them have left it.
 */
export async function rotateLogs(folder: string, now: number): Promise<void> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.log'))
  for (const name of names.slice(0, MAX_LOGS)) {
    const path = `${folder}/${name}`
    if (isDue(path, now)) await rotate(path)
  }
}

function isDue(path: string, now: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.size === 0) return false
  return stat.blocks * BLOCK_BYTES > MAX_LOG_BYTES || now - stat.birthtimeMs > WEEK_MS
}

async function rotate(path: string): Promise<void> {
  const nameOf = (at: number, ending = '') => `${path}.${at}${ending}`
  for (const ending of ['', '.gz']) await rm(nameOf(LOG_ROTATIONS, ending), { force: true })
  for (let at = LOG_ROTATIONS - 1; at > 0; at -= 1) {
    for (const ending of ['', '.gz']) renamed(nameOf(at, ending), nameOf(at + 1, ending))
  }
  renamed(path, nameOf(1))
  await compress(nameOf(2))
}

function renamed(from: string, to: string): void {
  if (lstatSync(from, { throwIfNoEntry: false })) renameSync(from, to)
}

/**
 * Compresses a rotated log. A file with holes stays uncompressed: all of its bytes, which may be
 * terabytes, would have to be read, and programs write logs without holes.
 */
async function compress(path: string): Promise<void> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.size > 2 * stat.blocks * BLOCK_BYTES + (1 << 20)) return
  const draft = `${path}.gz.tmp`
  await rm(draft, { force: true })
  const to = createWriteStream(draft, { flags: 'wx', mode: stat.mode & 0o777 })
  await pipeline(createReadStream(path), createGzip(), to)
  renameSync(draft, `${path}.gz`)
  await rm(path)
}

/** The end of the output of each run. */
type RunOutputs = Record<string, string>

/**
 * Returns the end of the output of some runs of jobs, by their invocation: as it was printed,
 * without masks. It begins with the newest line, and stops before the first run, or when its time
 * is over.
 */
export async function outputsOf(request: ReadRequest): Promise<RunOutputs> {
  const { paths, runs, chars, since = '', budget_ms } = request
  const texts = new Map(runs.map((run) => [run, '']))
  const [from, deadline] = [Date.parse(since) || 0, Date.now() + budget_ms]
  const files = openLogs(paths)
  try {
    for (const file of files) {
      // The last change of a file is its newest line.
      if (file.at < from || Date.now() > deadline) break
      if (await isAllRead(file, { texts, chars, from, deadline })) break
    }
  } finally {
    closeLogs(files)
  }
  return Object.fromEntries([...texts].map(([run, text]) => [run, text.replace(/\n$/, '')]))
}

interface OutputReading {
  texts: Map<string, string>
  chars: number
  from: number
  deadline: number
}

/** Returns whether the beginning of the first run was read. */
async function isAllRead(file: LogFile, { texts, chars, from, deadline }: OutputReading) {
  const add = (parts: ReadonlyMap<string, string>) => {
    for (const [run, text] of parts) texts.set(run, `${text}${texts.get(run) ?? ''}`.slice(-chars))
  }
  if (file.zipped) {
    add(await unzippedTexts(file, texts, chars).catch(() => new Map()))
    return false
  }
  for (const region of backwards(file, file.size, undefined)) {
    const { first, parts } = textsIn(region, texts)
    add(parts)
    if ((first !== undefined && first < from) || Date.now() > deadline) return true
  }
  return false
}

/** Reads a compressed file, which is only possible from its beginning. */
async function unzippedTexts(file: LogFile, wanted: ReadonlyMap<string, string>, chars: number) {
  const texts = new Map<string, string>()
  for await (const region of unzippedRegions(file, undefined)) {
    for (const [run, text] of textsIn(region, wanted).parts)
      texts.set(run, `${texts.get(run) ?? ''}${text}`.slice(-chars))
  }
  return texts
}

/** Returns the text of each run in some lines, and the time of the first line. */
function textsIn({ bytes }: LogRegion, wanted: ReadonlyMap<string, string>) {
  const parts = new Map<string, string>()
  let first: number | undefined
  for (const line of bytes.toString('utf8').split('\n')) {
    const [, time = '', run = '', sign, text = ''] = JOB_LINE.exec(line) ?? []
    first ??= Date.parse(time) || undefined
    if (!wanted.has(run)) continue
    const before = parts.get(run) ?? ''
    parts.set(run, `${sign === '+' ? before.replace(/\n$/, '') : before}${text}\n`)
  }
  return { first, parts }
}

const LOOK_MS = 250
/** The interval of an empty line, which fails when nobody reads any more. */
const PING_MS = 10_000

/** Follows the newest files of a log until the time is over; `write` gets whole lines. */
async function tail(request: ReadRequest, write: (text: string) => void): Promise<void> {
  const query = queryOf(request.source, request)
  const files = request.paths.map((path) => new GrowingLog(path, query.format.begins))
  const sampler = new Sampler(() => performance.now())
  const end = performance.now() + request.budget_ms
  let signed = performance.now()
  write('\n')
  while (performance.now() < end) {
    await sleep(LOOK_MS)
    const found: LogCandidate[] = []
    for (const file of files) {
      const region = file.look()
      if (region) found.push(...candidatesIn(region, query))
    }
    for (const one of sampled(found, sampler, query)) write(`${JSON.stringify(one)}\n`)
    if (performance.now() - signed < PING_MS) continue
    signed = performance.now()
    write('\n')
  }
  for (const file of files) file.close()
}

/** Samples lines before they are masked, which takes most of the time. */
function sampled(
  found: readonly LogCandidate[],
  sampler: Sampler,
  query: ReturnType<typeof queryOf>,
): LogNews[] {
  const { taken, left_out } = sampler.take(found)
  const lines = taken.flatMap((one): LogNews[] => {
    const match = matchOf(one, query)
    return match ? [{ kind: 'line', line: match.line }] : []
  })
  return left_out > 0 ? [...lines, { kind: 'left_out', lines: left_out }] : lines
}

/** Lets a limited number of lines through in a second, and as many together after a pause. */
export class Sampler {
  readonly #now: () => number
  #tokens = MAX_LIVE_LINES
  #at: number

  constructor(now: () => number) {
    this.#now = now
    this.#at = now()
  }

  /** Takes a sample evenly from all lines, so that a burst is seen to its end. */
  take<T>(lines: readonly T[]): { taken: T[]; left_out: number } {
    const now = this.#now()
    const more = ((now - this.#at) / 1000) * MAX_LIVE_LINES
    this.#at = now
    this.#tokens = Math.min(MAX_LIVE_LINES, this.#tokens + Math.max(0, more))
    const most = Math.floor(this.#tokens)
    if (lines.length <= most) {
      this.#tokens -= lines.length
      return { taken: [...lines], left_out: 0 }
    }
    this.#tokens -= most
    const step = lines.length / most
    const taken = Array.from({ length: most }, (_, at) => lines[Math.floor(at * step)]).flatMap(
      (line) => (line === undefined ? [] : [line]),
    )
    return { taken, left_out: lines.length - taken.length }
  }
}

const MAX_READ = 16 << 20
const MAX_KEPT = MAX_LOG_LINE + 1
const NOTHING = Buffer.alloc(0)

/** A log that is followed: returns what was added since the last call, also after a rotation. */
export class GrowingLog {
  readonly #path: string
  readonly #begins: RegExp | undefined
  #file: LogFile | undefined
  #at = 0
  #carried: Buffer = NOTHING

  constructor(path: string, begins: RegExp | undefined) {
    this.#path = path
    this.#begins = begins
    this.#file = openLog(path)
    this.#at = this.#file?.size ?? 0
  }

  /** Returns the new whole entries; the last one only when nothing follows it any more. */
  look(): LogRegion | undefined {
    const added = this.#added()
    const joined = added.length > 0 ? Buffer.concat([this.#carried, added]) : this.#carried
    const end = this.#end(joined, added.length === 0)
    const bytes = joined.subarray(0, end)
    this.#carried = Buffer.from(joined.subarray(end))
    if (this.#carried.length > MAX_READ) this.#carried = this.#carried.subarray(0, MAX_KEPT)
    return bytes.length > 0 ? { bytes, from: 0 } : undefined
  }

  close(): void {
    if (this.#file) closeSync(this.#file.descriptor)
    this.#file = undefined
  }

  #added(): Buffer {
    this.#reopen()
    if (!this.#file) return NOTHING
    const { size } = fstatSync(this.#file.descriptor)
    // logrotate copies the log and empties it.
    if (size < this.#at) this.#at = 0
    const bytes = readAt(this.#file, this.#at, Math.min(MAX_READ, size - this.#at))
    this.#at += bytes.length
    return bytes
  }

  /** Opens the file again if the name is another one's, after the end of the former one. */
  #reopen(): void {
    const next = openLog(this.#path)
    if (!next) return
    if (this.#file && isSame(this.#file, next)) {
      closeSync(next.descriptor)
      return
    }
    this.close()
    this.#file = next
    this.#at = 0
  }

  #end(bytes: Buffer, isQuiet: boolean): number {
    const newline = bytes.lastIndexOf(10) + 1
    if (!this.#begins || isQuiet) return newline
    let last = 0
    for (let at = 0; ; at = last) {
      const begin = firstBegin(bytes.subarray(at), this.#begins)
      if (begin < 0) return last
      last = at + begin
    }
  }
}

function isSame(one: LogFile, other: LogFile): boolean {
  const [here, there] = [fstatSync(one.descriptor), fstatSync(other.descriptor)]
  return here.ino === there.ino && here.dev === there.dev
}
