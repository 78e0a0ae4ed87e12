import { type StoredVisit, storeVisits } from '#dashboard/features/health/queries.ts'
import { getSettings } from '#dashboard/features/settings/queries.ts'
import type { AgentAddress } from '#dashboard/kernel/agents/transport.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Leases } from '#dashboard/kernel/leases/leases.ts'
import { shareOf } from '#dashboard/kernel/leases/shares.ts'
import { sitesTopic } from '#dashboard/kernel/live/feed.ts'
import { nextMultiple, sleepOrWake, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'
import { GOLDEN_SECTION } from '#dashboard/kernel/runtime/spread-times.ts'
import type { HealthVerdict } from '#shared/health/page-verdict.ts'
import { ageOf, isDue } from '#shared/kernel/age.ts'
import type { ServiceError } from '#shared/kernel/errors.ts'
import {
  findOldestVisit,
  listDue,
  listIds,
  listOpenSites,
  listVisited,
  type VisitRow,
} from './queries.ts'
import { CONNECTION_CODES } from './verdict.ts'
import type { VisitedSite } from './visit-site.ts'

interface Deps extends Pick<CommonDeps, 'db' | 'bus' | 'clock' | 'log'> {
  leases: Pick<Leases, 'holds' | 'run'>
  /** Returns the verdict on a site; undefined when its server cannot be requested. */
  visit(site: VisitedSite, signal: AbortSignal): Promise<HealthVerdict | undefined>
  findObstacle(to: AgentAddress): Promise<ServiceError | undefined>
}

const ROUND_MS = 5_000
/** The pause after a change: several files of an update change one after the other. */
const SETTLE_MS = 3_000
/** The shortest pause between two requests of a site, however often its agent reports a change. */
const MIN_PAUSE_MS = 15_000
/** The pause before a failed request is repeated once. */
const RETRY_MS = 3_000
const COLLECT_MS = 500
const MAX_CONCURRENT = 32
/** The maximum of concurrent requests to one server, whose sites share its processors. */
const MAX_PER_SERVER = 2
/** The shortest interval of a site as a share of the setting, by which the requests spread. */
const MIN_INTERVAL_SHARE = 0.8
const MAX_FORGOTTEN = 500

/**
 * Requests each site from outside its server at the interval of the settings, and soon after each change
 * that its agent or an operation reports.
 */
export class Visits {
  readonly #deps: Deps
  readonly #stopping = new AbortController()
  readonly #all = new Limit(MAX_CONCURRENT)
  readonly #servers = new Map<number, Limit>()
  readonly #running = new Map<number, Promise<void>>()
  /** The changed sites, and when they are requested. */
  readonly #changed = new Map<number, number>()
  #results: (StoredVisit & { server_id: number })[] = []
  #storing: Promise<void> | undefined
  #wake = Promise.withResolvers<void>()
  #round: Promise<void> = Promise.resolve()
  /** The version of the records in the last round, and when the first site can be due after it. */
  #seen: string | undefined
  #due = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  start(): void {
    this.#round = this.#rounds()
  }

  /** Resolves when started requests have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#round
    await Promise.all(this.#running.values())
    await this.#storing
  }

  /** Notes that what these sites run has changed. Never throws. */
  async changed(server_id: number, domains: readonly string[]): Promise<void> {
    if (domains.length === 0 || this.#stopping.signal.aborted) return
    try {
      for (const id of await listIds(this.#deps.db, server_id, domains)) this.soon(id)
    } catch (error) {
      this.#deps.log.error('changed sites could not be requested', error, { server_id })
    }
  }

  soon(site_id: number): void {
    this.#changed.set(site_id, this.#deps.clock.elapsed() + SETTLE_MS)
    this.#wake.resolve()
  }

  /** Starts one round and returns its requests; undefined while they are turned off. */
  async look(): Promise<Promise<void>[] | undefined> {
    const { visit_interval } = await getSettings(this.#deps.db)
    return this.#look(visit_interval)
  }

  async #look(visit_interval: number): Promise<Promise<void>[] | undefined> {
    const { db, clock } = this.#deps
    if (visit_interval === 0) {
      this.#changed.clear()
      await this.#forget()
      return undefined
    }
    const now = clock.now()
    const due = await listDue(db, visit_interval * 1000 * MIN_INTERVAL_SHARE, now)
    const mine = due.filter(({ id, visited_at }) =>
      isDue(visited_at, visit_interval * 1000 * shareOfInterval(id), now),
    )
    const rows = [...(await this.#settled()), ...mine].filter(
      ({ id, server_id }) => !this.#running.has(id) && this.#deps.leases.holds(shareOf(server_id)),
    )
    return [...new Map(rows.map((row) => [row.id, row])).values()].map((row) => this.#start(row))
  }

  async #rounds(): Promise<void> {
    const { clock, log } = this.#deps
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await this.#lookIfNeeded().catch((error: unknown) =>
        log.error('sites could not be requested', error),
      )
      const now = clock.elapsed()
      const next = Math.min(nextMultiple(now, ROUND_MS), ...this.#changed.values())
      await sleepOrWake(clock, Math.max(1, next - now), this.#wake.promise, signal)
      this.#wake = Promise.withResolvers()
    }
  }

  /**
   * Starts a round if one is needed: without a change of the records, no site is due before the one
   * that was requested the longest ago.
   */
  async #lookIfNeeded(): Promise<void> {
    const { db, clock } = this.#deps
    const version = await db.version()
    const next = Math.min(this.#due, ...this.#changed.values())
    if (version !== undefined && version === this.#seen && clock.elapsed() < next) return
    this.#seen = undefined
    const { visit_interval } = await getSettings(db)
    await this.#look(visit_interval)
    this.#due = clock.elapsed() + (await this.#untilDue(visit_interval * 1000))
    this.#seen = version
  }

  /**
   * Returns the time until a site is due: 0 while a request runs, which may be repeated; infinite
   * without sites that were requested before.
   */
  async #untilDue(interval_ms: number): Promise<number> {
    const { db, clock } = this.#deps
    if (this.#running.size > 0) return 0
    const oldest = await findOldestVisit(db)
    if (oldest === null) return Number.POSITIVE_INFINITY
    const age = ageOf(oldest, clock.now())
    return age === undefined ? 0 : interval_ms * MIN_INTERVAL_SHARE - age
  }

  /** Returns the changed sites whose time has come, and that no operation still changes. */
  async #settled(): Promise<VisitRow[]> {
    const now = this.#deps.clock.elapsed()
    const ids = [...this.#changed].flatMap(([id, at]) => (at <= now ? [id] : []))
    const free = ids.filter((id) => !this.#running.has(id))
    for (const id of free) this.#changed.delete(id)
    const open = free.length === 0 ? [] : await listOpenSites(this.#deps.db, free)
    const isReady = ({ visited_at }: VisitRow) =>
      isDue(visited_at, MIN_PAUSE_MS, this.#deps.clock.now())
    for (const row of open) if (!isReady(row)) this.#changed.set(row.id, now + MIN_PAUSE_MS)
    return open.filter(isReady)
  }

  #start(row: VisitRow): Promise<void> {
    const work = this.#limitOf(row.server_id)
      .run(() => this.#all.run(() => this.#visit(row)))
      .catch((error: unknown) => this.#deps.log.error('a site could not be requested', error))
      .finally(() => this.#running.delete(row.id))
    this.#running.set(row.id, work)
    return work
  }

  async #visit(row: VisitRow): Promise<void> {
    const { clock, visit } = this.#deps
    const { signal } = this.#stopping
    if (signal.aborted) return
    let visited_at = timestamp(clock)
    let verdict = await visit(row, signal)
    const isNew = verdict && verdict.state !== 'up' && verdict.state !== row.state
    if (isNew) {
      await clock.sleep(RETRY_MS, signal)
      visited_at = timestamp(clock)
      verdict = await visit(row, signal)
    }
    if (signal.aborted || !verdict || (await this.#isServerGone(row, verdict))) return
    await this.#store({ site_id: row.id, server_id: row.server_id, verdict, visited_at })
  }

  /** Whether a server cannot be reached at all: it is offline soon, and its sites are unknown. */
  async #isServerGone(row: VisitRow, { code }: HealthVerdict): Promise<boolean> {
    if (!CONNECTION_CODES.includes(code)) return false
    const { server_id: id, hostname, port } = row
    return (await this.#deps.findObstacle({ id, hostname, port })) !== undefined
  }

  #store(result: StoredVisit & { server_id: number }): Promise<void> {
    this.#results.push(result)
    this.#storing ??= this.#storeSoon().finally(() => {
      this.#storing = undefined
    })
    return this.#storing
  }

  /** Stores the results that have come, and those that come while it stores. */
  async #storeSoon(): Promise<void> {
    while (this.#results.length > 0) {
      await this.#deps.clock.sleep(COLLECT_MS, this.#stopping.signal)
      await this.#storeResults(this.#results.splice(0))
    }
  }

  async #storeResults(results: readonly (StoredVisit & { server_id: number })[]): Promise<void> {
    const { db, bus, clock, leases } = this.#deps
    const shares = [...new Set(results.map(({ server_id }) => shareOf(server_id)))]
    const changed = await leases.run(shares, () => storeVisits(db, results, timestamp(clock)))
    for (const server_id of changed) bus.notify(sitesTopic(server_id))
  }

  /** Forgets the results, which would be taken for current ones while no site is requested. */
  async #forget(): Promise<void> {
    const { db, bus, clock } = this.#deps
    const ids = await listVisited(db, MAX_FORGOTTEN)
    if (ids.length === 0) return
    const none = ids.map((site_id) => ({ site_id, verdict: null, visited_at: null }))
    for (const server_id of await storeVisits(db, none, timestamp(clock)))
      bus.notify(sitesTopic(server_id))
  }

  #limitOf(server_id: number): Limit {
    const limit = this.#servers.get(server_id) ?? new Limit(MAX_PER_SERVER)
    this.#servers.set(server_id, limit)
    return limit
  }
}

const shareOfInterval = (id: number): number =>
  MIN_INTERVAL_SHARE + (1 - MIN_INTERVAL_SHARE) * ((id * GOLDEN_SECTION) % 1)
