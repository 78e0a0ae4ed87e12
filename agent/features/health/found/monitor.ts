import { healthOf, unknownHealth, type Verdicts } from '#agent/features/health/verdict.ts'
import { visitAll } from '#agent/features/health/visit-all.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseCertificate } from '#agent/kernel/site/certificate-files.ts'
import type { Verdict } from '#shared/health/page-verdict.ts'
import type { SiteHealth } from '#shared/servers/agent.ts'
import { isVisitDue, newlyFound, type WatchedFound } from './pace.ts'
import { listTargets } from './targets.ts'
import { CLOSED, checkFoundCertificate, checkFoundPage } from './verdicts.ts'

/** Reading the configuration of the web servers runs programs. */
const LIST_MS = 5 * 60_000
/** The age after which results are outdated. */
const STALE_MS = 3 * LIST_MS
const MAX_CONCURRENT = 8
const AGAIN_MS = 3000

/**
 * The health of discovered sites: their front pages as visitors see them, and the expiry of their
 * certificates. The check reads, runs and writes nothing else of them.
 */
export class FoundMonitor {
  readonly #host: Host
  #watched = new Map<string, WatchedFound>()
  #listed_at = Number.NEGATIVE_INFINITY

  constructor(host: Host) {
    this.#host = host
  }

  get size(): number {
    return this.#watched.size
  }

  /** Those that were visited at least once. */
  list(): SiteHealth[] {
    const stale = this.#host.clock.elapsed() - this.#listed_at > STALE_MS
    return [...this.#watched].flatMap(([domain, { verdicts }]) => {
      if (verdicts.http === undefined) return []
      return [stale ? unknownHealth(domain) : healthOf(domain, verdicts)]
    })
  }

  /** Visits those that are due; `beside`: how many other sites share the time. */
  async visit(beside: number): Promise<void> {
    const { clock } = this.#host
    if (clock.elapsed() - this.#listed_at >= LIST_MS) await this.#bringUpToDate()
    const now = clock.elapsed()
    const due = [...this.#watched.values()]
      .filter((watched) => isVisitDue(watched, now, this.size + beside))
      .sort((one, other) => one.visited_at - other.visited_at)
      .slice(0, MAX_CONCURRENT)
    const changed = await this.#round(due, ({ verdicts }, { state }) => {
      return state === (verdicts.http?.state ?? 'up')
    })
    if (changed.size === 0) return
    await clock.sleep(AGAIN_MS)
    await this.#round([...changed.keys()], (watched, { state }) => {
      return changed.get(watched)?.state === state
    })
  }

  /** Stores confirmed results; returns the others: one missing answer changes nothing. */
  async #round(
    due: readonly WatchedFound[],
    isBelieved: (watched: WatchedFound, verdict: Verdict) => boolean,
  ): Promise<Map<WatchedFound, Verdict>> {
    const doubted = new Map<WatchedFound, Verdict>()
    for (const { watched, verdict } of await this.#visitAll(due)) {
      if (!isBelieved(watched, verdict)) doubted.set(watched, verdict)
      else watched.verdicts = { http: verdict, ...(await this.#certificateOf(watched)) }
    }
    return doubted
  }

  async #visitAll(due: readonly WatchedFound[]) {
    const now = this.#host.clock.elapsed()
    const closed = due.filter(({ target }) => target.visit === undefined)
    for (const watched of closed) watched.visited_at = now
    const visits = due.flatMap((watched) =>
      watched.target.visit ? [{ watched, visit: watched.target.visit }] : [],
    )
    const visited = await visitAll(this.#host, visits, checkFoundPage)
    return [...closed.map((watched) => ({ watched, verdict: CLOSED })), ...visited]
  }

  async #certificateOf({ target }: WatchedFound): Promise<Pick<Verdicts, 'certificate'>> {
    const { certificate: path, domain } = target
    if (path === '') return {}
    const { clock, files } = this.#host
    const found = parseCertificate(await files.read(path).catch(() => undefined))
    return found ? { certificate: checkFoundCertificate(found, domain, clock.now()) } : {}
  }

  async #bringUpToDate(): Promise<void> {
    const known = this.#watched
    const targets = await listTargets(this.#host)
    this.#watched = new Map(
      [...targets].map(([domain, target]) => {
        const watched = known.get(domain)
        return [domain, watched ? Object.assign(watched, { target }) : newlyFound(target)]
      }),
    )
    this.#listed_at = this.#host.clock.elapsed()
  }
}
