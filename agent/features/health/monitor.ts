import { certificateOf } from '#agent/features/web/nginx.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { VisitRequest } from '#agent/kernel/host/visit-port.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import type { HealthVerdict } from '#shared/health/page-verdict.ts'
import type { SiteHealth } from '#shared/servers/agent.ts'
import { checkPage } from './check-page.ts'
import { type CheckOptions, checkSites, RECHECK_MS } from './check-sites.ts'
import { healthOf, isWorthVisiting, unknownHealth } from './verdict.ts'
import { visitAll } from './visit-all.ts'
import { isVisitDue, newlyWatched, type WatchedSite } from './watched-site.ts'

/** The age after which results are outdated. */
const STALE_MS = 5 * 60_000

/** Excludes suspended sites, which nobody expects to answer, and closed copies of moving ones. */
const isOpen = ({ suspended, moving }: Site) => !suspended && !moving?.closed

/** Keeps the last health of the sites of this agent, until its restart. */
export class HealthMonitor {
  readonly #host: Host
  readonly #looking: CheckOptions
  readonly #watched = new Map<string, WatchedSite>()
  #looked_at: number

  constructor(host: Host, looking: CheckOptions) {
    this.#host = host
    this.#looking = looking
    this.#looked_at = host.clock.elapsed()
  }

  /** Lists the health by domain, without sites that were not checked yet. */
  list(): SiteHealth[] {
    const stale = this.#host.clock.elapsed() - this.#looked_at > STALE_MS
    return [...this.#watched.values()]
      .filter(({ verdicts }) => verdicts.php !== undefined)
      .map(({ site: { domain }, verdicts, version }) =>
        stale
          ? unknownHealth(domain)
          : { ...healthOf(domain, verdicts), ...(version !== undefined && { version }) },
      )
      .sort((one, other) => (one.domain < other.domain ? -1 : 1))
  }

  /** Checks PHP, database and certificate of the sites that are due. */
  async look(): Promise<void> {
    const { clock } = this.#host
    await this.#bringUpToDate()
    const due = [...this.#watched.values()].filter(({ look_at }) => look_at <= clock.elapsed())
    await checkSites(this.#host, due, { ...this.#looking, all: this.#watched.size })
    this.#looked_at = clock.elapsed()
  }

  get size(): number {
    return this.#watched.size
  }

  /** Visits the front pages of the sites that are due; `beside` others share the time. */
  async visit(beside = 0): Promise<void> {
    await visitSites(this.#host, [...this.#watched.values()], { ...this.#looking, beside })
  }

  /** Identifies sites by user: one created again under its domain is another one. */
  async #bringUpToDate(): Promise<void> {
    const all = await listSites(this.#host)
    const sites = new Map(all.filter(isOpen).map((site) => [site.user, site]))
    for (const user of this.#watched.keys()) if (!sites.has(user)) this.#watched.delete(user)
    for (const [user, site] of sites) {
      const known = this.#watched.get(user)
      if (known) known.site = site
      else this.#watched.set(user, newlyWatched(site, this.#host))
    }
  }
}

const MAX_CONCURRENT = 16

/**
 * Requests the due front pages, past every cache; a changed result counts when it is repeated.
 * `beside` is the number of other sites that share the time.
 */
async function visitSites(
  host: Host,
  sites: readonly WatchedSite[],
  { isBusy, beside }: Pick<CheckOptions, 'isBusy'> & { beside: number },
): Promise<void> {
  const now = host.clock.elapsed()
  const isFree = ({ site, verdicts }: WatchedSite) =>
    isWorthVisiting(verdicts) && !isBusy(site.domain) && !site.settings?.maintenance
  const due = sites
    .filter((watched) => isFree(watched) && isVisitDue(watched, now, sites.length + beside))
    .sort((one, other) => one.visited_at - other.visited_at)
    .slice(0, MAX_CONCURRENT)
  const before = new Map<WatchedSite, HealthVerdict>()
  for (const { watched, verdict } of await visitIdle(host, due)) {
    // A new site that is up counts immediately.
    if (verdict.state !== (watched.verdicts.http?.state ?? 'up')) before.set(watched, verdict)
    else if (isFree(watched)) watched.verdicts = { ...watched.verdicts, http: verdict }
  }
  if (before.size === 0) return
  await host.clock.sleep(RECHECK_MS)
  const again = [...before.keys()].filter(isFree)
  for (const { watched, verdict } of await visitIdle(host, again)) {
    if (before.get(watched)?.state === verdict.state && isFree(watched))
      watched.verdicts = { ...watched.verdicts, http: verdict }
  }
}

async function visitIdle(host: Host, sites: readonly WatchedSite[]) {
  const visits: { watched: WatchedSite; visit: VisitRequest }[] = []
  for (const watched of sites) {
    const { domain } = watched.site
    const tls = (await certificateOf(host, domain)) !== undefined
    // The random parameter bypasses the caches of nginx and plugins.
    const path = `/?hosting-health=${host.random.text(12)}`
    visits.push({ watched, visit: { host: domain, path, tls } })
  }
  return visitAll(host, visits, checkPage)
}
