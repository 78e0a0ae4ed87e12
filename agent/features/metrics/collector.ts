import { z } from 'zod'
import { localAddresses } from '#agent/features/existing/web/backends.ts'
import { readUsage } from '#agent/features/metrics/usage/records.ts'
import { fpmService, socketOf } from '#agent/features/php/fpm-files.ts'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { MAIL_USER, mailPathsIn } from '#agent/kernel/mail/paths.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import { sliceOf } from '#agent/kernel/services/systemd.ts'
import { logsOf, pageCacheOf } from '#agent/kernel/site/paths.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { machineOf, siteLimitsOn } from '#agent/kernel/site/tiers.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import {
  MAX_DAYS,
  MAX_MINUTES,
  type Numbers,
  type SiteCount,
  type Sizes,
} from '#shared/metrics/site-numbers.ts'
import { type CountsByTime, changedIn, latestChange, NO_SIZES, SiteCounts } from './counts.ts'
import { LineReader } from './line-reader.ts'
import { type NumberRecords, readRecords, writeRecords } from './records.ts'

const SIZES_MS = 3_600_000
/** The time between two writes of the records, from which a restart reads the logs again. */
const WRITE_MS = 5 * 60_000
/** The number of concurrent readings, so that one PHP-FPM with busy workers delays no others. */
const MAX_CONCURRENT = 8

interface CollectedSite {
  counts: SiteCounts
  log?: LogPosition | undefined
  seen: LastCounters
}

/** Counts the requests and the PHP of each site, and keeps the numbers until a dashboard asks. */
export class NumbersCollector {
  readonly #host: Host
  readonly #reader = new LineReader()
  readonly #known = new Map<string, CollectedSite>()
  #domains = new Map<string, string>()
  #sized: MeasuredSizes = { cache: new Map(), mail: new Map() }
  #last = 0
  #changed = 0
  #isLoaded = false
  #sizes_due = 0
  #write_due = 0

  constructor(host: Host) {
    this.#host = host
  }

  /** Runs one round; `report` gets the error of a site, and the others are counted all the same. */
  async collect(report: (error: unknown) => void): Promise<void> {
    const host = this.#host
    await this.#load()
    const sites = await listSites(host)
    this.#keep(sites)
    const elapsed = host.clock.elapsed()
    if (elapsed >= this.#sizes_due) {
      this.#sizes_due = elapsed + SIZES_MS
      this.#sized = await measureSizes(
        host,
        sites.map(({ user }) => user),
      )
    }
    const now = Math.floor(host.clock.now() / 1000)
    const usage = await readUsage(host)
    this.#reader.own = await localAddresses(host)
    const turns = sites.values()
    const worker = async () => {
      for (const site of turns) {
        await this.#count(site, now).catch(report)
        this.#of(site.user).counts.measured(this.#sizesOf(site.user, usage[site.user]), now)
      }
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, worker))
    this.#last = now
    this.#changed = latestChange([...this.#known.values()].map(({ counts }) => counts))
    if (elapsed < this.#write_due) return
    this.#write_due = elapsed + WRITE_MS
    await writeRecords(host, this.#records())
  }

  /** The time of the last change of a number, in seconds since 1970; 0 when none is known. */
  get changed(): number {
    return this.#changed
  }

  /** Returns what has changed since a time in seconds; everything since a time of another clock. */
  list(since: number): SiteCount[] {
    const after = since > this.#last ? 0 : since
    return [...this.#domains].flatMap(([user, domain]) => {
      const { minutes, days } = this.#of(user).counts
      // The current minute is complete only in the next round.
      const changed = changedIn(minutes, after, MAX_MINUTES).map(([at, { values }]) => ({
        at,
        values,
      }))
      const changed_days = changedIn(days, after, MAX_DAYS).map(
        ([at, { values, sizes = NO_SIZES, refused }]) => ({ at, values, sizes, refused }),
      )
      if (changed.length + changed_days.length === 0) return []
      return [{ domain, at: this.#last, minutes: changed, days: changed_days }]
    })
  }

  async #count(site: Site, now: number): Promise<void> {
    const known = this.#of(site.user)
    const { counts } = known
    counts.forget(now)
    counts.beginDay(now)
    const path = `${logsOf(site.user)}/access.log`
    known.log = await readLog(this.#host, path, known.log, { reader: this.#reader, counts, now })
    const { numbers, seen } = await readPhp(this.#host, site, known.seen)
    known.seen = seen
    if (Object.values(numbers).some((value) => value > 0)) counts.add(now, numbers, now)
  }

  #of(user: string): CollectedSite {
    const known = this.#known.get(user) ?? { counts: new SiteCounts(), seen: {} }
    this.#known.set(user, known)
    return known
  }

  #sizesOf(
    user: string,
    usage: { bytes: number | null; database_bytes: number | null } | undefined,
  ): Sizes {
    return {
      files: usage?.bytes ?? null,
      database: usage?.database_bytes ?? null,
      cache: this.#sized.cache.get(user) ?? null,
      mail: this.#sized.mail.get(user) ?? null,
    }
  }

  #keep(sites: readonly Site[]): void {
    this.#domains = new Map(sites.map(({ user, domain }) => [user, domain]))
    for (const user of this.#known.keys()) if (!this.#domains.has(user)) this.#known.delete(user)
  }

  async #load(): Promise<void> {
    if (this.#isLoaded) return
    for (const [user, { days, log, php, memory }] of Object.entries(
      await readRecords(this.#host),
    )) {
      const counts: CountsByTime = new Map(days.map(({ at, ...count }) => [at, count]))
      this.#known.set(user, { counts: new SiteCounts(counts), log, seen: { php, memory } })
    }
    this.#isLoaded = true
  }

  #records(): NumberRecords {
    return Object.fromEntries(
      [...this.#known].map(([user, { counts, log, seen }]) => {
        const days = [...counts.days].map(([at, count]) => ({ at, ...count }))
        return [user, { log, ...seen, days }]
      }),
    )
  }
}

const LIMIT_MS = 5 * 60_000

/** Sizes in bytes, by system user. */
interface MeasuredSizes {
  cache: Map<string, number>
  mail: Map<string, number>
}

/** Measures the page caches and mail queues of sites, each by a program of their writer. */
async function measureSizes(host: Host, users: readonly string[]): Promise<MeasuredSizes> {
  const { queueOf } = mailPathsIn(host.settings.mail_dir)
  return {
    cache: await measureWith(host, users, pageCacheOf, { user: 'www-data' }),
    mail: await measureWith(host, users, queueOf, { user: MAIL_USER }),
  }
}

async function measureWith(
  host: Host,
  users: readonly string[],
  pathOf: (user: string) => string,
  options: RunOptions,
): Promise<Map<string, number>> {
  if (users.length === 0) return new Map()
  const argv = ['du', '--summarize', '--block-size=1', '--', ...users.map(pathOf)]
  const { stdout } = await host.shell.try(argv, { ...options, timeout_ms: LIMIT_MS })
  const bytes = new Map<string, number>()
  for (const [, size, path = ''] of stdout.matchAll(/^(\d+)\t(.+)$/gm))
    bytes.set(path, Number(size))
  return new Map(
    users.flatMap((user) => {
      const size = bytes.get(pathOf(user))
      return size === undefined ? [] : [[user, size] as const]
    }),
  )
}

/** The position in a log. `head` are its first bytes, which change with a rotation. */
interface LogPosition {
  head: string
  offset: number
}

const CHUNK = 1 << 20
const HEAD = 80
/** The maximum of one round; the rest of a faster log follows in the next one. */
const MAX_CHUNKS = 16
/** The maximum delay in bytes: older lines are left out, so that numbers do not lag. */
const MAX_BEHIND = 64 << 20
/** The maximum that is counted of a log that was never read. */
const MAX_FIRST = CHUNK

interface LineTarget {
  reader: LineReader
  counts: SiteCounts
  /** Seconds since 1970. */
  now: number
}

/** Counts the new lines of an access log, which logrotate(8) copies and truncates. */
async function readLog(
  { files }: Pick<Host, 'files'>,
  path: string,
  before: LogPosition | undefined,
  into: LineTarget,
): Promise<LogPosition> {
  const size = (await files.stat(path))?.size ?? 0
  if (size === 0) return { head: '', offset: 0 }
  if (size === before?.offset) return before
  const head = latin((await files.part(path, 0, HEAD)) ?? new Uint8Array())
  let offset = startOf(before, head, size)
  for (let turn = 0; turn < MAX_CHUNKS && offset < size; turn++) {
    const bytes = await files.part(path, offset, Math.min(CHUNK, size - offset))
    const read = countLines(bytes ?? new Uint8Array(), into)
    if (read === 0) break
    offset += read
  }
  return { head, offset }
}

/** Returns the number of bytes that are complete: whole lines, or a part without a line end. */
function countLines(bytes: Uint8Array, { reader, counts, now }: LineTarget): number {
  const end = bytes.lastIndexOf(10) + 1
  for (const line of latin(bytes.subarray(0, end)).split('\n')) {
    const request = line === '' ? undefined : reader.read(line)
    if (request) counts.request(request, now)
  }
  return end === 0 && bytes.length === CHUNK ? CHUNK : end
}

function startOf(before: LogPosition | undefined, head: string, size: number): number {
  if (!before) return size > MAX_FIRST ? size : 0
  const isSame = before.offset <= size && head.startsWith(before.head)
  const offset = isSame ? before.offset : 0
  return size - offset > MAX_BEHIND ? size - MAX_BEHIND : offset
}

const decoder = new TextDecoder('latin1')
const latin = (bytes: Uint8Array) => decoder.decode(bytes)

const total = z.int().nonnegative()
/** The fields of the status of PHP-FPM (fpm-status(8)), which the site may write at will. */
const Status = z.object({
  'start time': total.max(1e12),
  'active processes': total.max(10_000),
  'max children reached': total.max(1e9),
})
/** The maximum increase of `max children reached` that one round counts. */
const MAX_FULL = 10_000

/** The counters of the last round, which grow until PHP-FPM, or the slice, ends. */
export interface LastCounters {
  php?: { started: number; full: number } | undefined
  memory?: { max: number; oom: number; killed: number } | undefined
}

/** Returns the events since the last round; none in the first round. Wakes no sleeping PHP-FPM. */
export async function readPhp(
  host: Host,
  site: Site,
  seen: LastCounters,
): Promise<{ numbers: Partial<Numbers>; seen: LastCounters }> {
  const memory = await memoryEvents(host, site.user)
  const { status, active } = await readStatus(host, site)
  const full = status?.['max children reached'] ?? 0
  const started = status?.['start time'] ?? 0
  const isSame = seen.php?.started === started
  return {
    numbers: {
      active,
      full: seen.php ? Math.min(increaseSince(full, isSame ? seen.php.full : 0), MAX_FULL) : 0,
      ...(memory && seen.memory && memorySince(memory, seen.memory)),
    },
    seen: { php: status ? { started, full } : seen.php, memory: memory ?? seen.memory },
  }
}

/** Counts all workers as busy without an answer. */
async function readStatus(host: Host, site: Site) {
  const pool = { user: site.user, php: site.php }
  if (!(await isRunning(host, fpmService(pool)))) return { status: undefined, active: 0 }
  const text = await host.visitor.fpmStatus(socketOf(pool))
  if (text === undefined) {
    return { status: undefined, active: siteLimitsOn(site, await machineOf(host)).children }
  }
  const status = parseJson(Status, text)
  // One of the workers answers the status itself.
  return { status, active: Math.max(0, (status?.['active processes'] ?? 0) - 1) }
}

/** Returns the increase of a counter; a smaller one has begun again. */
const increaseSince = (now: number, before: number) => (now >= before ? now - before : now)

type MemoryEvents = Required<LastCounters>['memory'] & object

/** Ignores processes that were ended for the limit of their own unit. */
function memorySince(now: MemoryEvents, before: MemoryEvents) {
  const isOut = increaseSince(now.oom, before.oom) > 0
  return {
    memory: increaseSince(now.max, before.max),
    killed: isOut ? increaseSince(now.killed, before.killed) : 0,
  }
}

/**
 * Reads the events of cgroup v2; undefined without a slice. `memory.events` counts those of the
 * units below, too, and `memory.events.local` only those of the slice, in which no process is.
 */
async function memoryEvents(
  { files }: Pick<Host, 'files'>,
  user: string,
): Promise<MemoryEvents | undefined> {
  const path = `/sys/fs/cgroup/hosting.slice/${sliceOf(user)}/memory.events`
  const [all, own] = [await files.read(path), await files.read(`${path}.local`)]
  if (all === undefined || own === undefined) return undefined
  const count = (text: string, name: string) =>
    Number(new RegExp(`^${name} (\\d{1,12})$`, 'm').exec(text)?.[1] ?? 0)
  return { max: count(own, 'max'), oom: count(own, 'oom'), killed: count(all, 'oom_kill') }
}
