import { localAddresses } from '#agent/features/existing/web/backends.ts'
import { readMeasured } from '#agent/features/metrics/usage/records.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { logsOf } from '#agent/kernel/site/paths.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { MAX_DAYS, MAX_MINUTES, type SiteCount, type Sizes } from '#shared/metrics/site-numbers.ts'
import { type Counts, changedIn, latestChange, NO_SIZES, SiteCounts } from './counts.ts'
import { LineReader } from './line.ts'
import { type Place, readLog } from './log.ts'
import { readPhp, type Seen } from './php.ts'
import { type NumberRecords, readRecords, writeRecords } from './records.ts'
import { measureSizes, type Sized } from './sizes.ts'

const SIZES_MS = 3_600_000
/** Between two writes of the records: a restart reads the logs again from there. */
const WRITE_MS = 5 * 60_000
/** A PHP-FPM whose workers are all busy delays the others only then. */
const AT_ONCE = 8

interface Known {
  counts: SiteCounts
  log?: Place | undefined
  seen: Seen
}

/** Counts the requests and the PHP of each site, and keeps the numbers until a dashboard asks. */
export class NumbersCollector {
  readonly #host: Host
  readonly #reader = new LineReader()
  readonly #known = new Map<string, Known>()
  #domains = new Map<string, string>()
  #sized: Sized = { cache: new Map(), mail: new Map() }
  #last = 0
  #changed = 0
  #isLoaded = false
  #sizes_due = 0
  #write_due = 0

  constructor(host: Host) {
    this.#host = host
  }

  /** One round; `report` gets the error of a site, and the others are counted all the same. */
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
    const usage = await readMeasured(host)
    this.#reader.own = await localAddresses(host)
    const turns = sites.values()
    const worker = async () => {
      for (const site of turns) {
        await this.#count(site, now).catch(report)
        this.#of(site.user).counts.measured(this.#sizesOf(site.user, usage[site.user]), now)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    this.#last = now
    this.#changed = latestChange([...this.#known.values()].map(({ counts }) => counts))
    if (elapsed < this.#write_due) return
    this.#write_due = elapsed + WRITE_MS
    await writeRecords(host, this.#records())
  }

  /** The time of the last change of a number, in seconds since 1970; 0: none is known. */
  get changed(): number {
    return this.#changed
  }

  /** What has changed since a time in seconds; since a time of another clock: everything. */
  list(since: number): SiteCount[] {
    const after = since > this.#last ? 0 : since
    return [...this.#domains].flatMap(([user, domain]) => {
      const { minutes, days } = this.#of(user).counts
      // The current minute is complete only in the next round.
      const changed = changedIn(minutes, after, MAX_MINUTES).map(([at, { values }]) => ({
        ...{ at, values },
      }))
      const changed_days = changedIn(days, after, MAX_DAYS).map(
        ([at, { values, sizes = NO_SIZES }]) => ({ at, values, sizes }),
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

  #of(user: string): Known {
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
      const counts: Counts = new Map(days.map(({ at, ...count }) => [at, count]))
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
