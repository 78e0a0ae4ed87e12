import { certificateOf } from '#agent/features/web/nginx.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Visit } from '#agent/kernel/host/visit-port.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import type { Verdict } from '#shared/health/page-verdict.ts'
import type { SiteHealth } from '#shared/servers/agent.ts'
import { AGAIN_MS, type Looking, look } from './look.ts'
import { checkPage } from './page.ts'
import { healthOf, isWorthVisiting, unknownHealth } from './verdict.ts'
import { visitAll } from './visit-all.ts'
import { isVisitDue, newlyWatched, type Watched } from './watched.ts'

/** The age after which results are outdated. */
const STALE_MS = 5 * 60_000

/** Nobody expects a suspended site to answer, and nothing may change the closed copy of a moving one. */
const isOpen = ({ suspended, moving }: Site) => !suspended && !moving?.closed

/** The last health of the sites of this agent. A restart loses it. */
export class HealthMonitor {
  readonly #host: Host
  readonly #looking: Looking
  readonly #watched = new Map<string, Watched>()
  #looked_at: number

  constructor(host: Host, looking: Looking) {
    this.#host = host
    this.#looking = looking
    this.#looked_at = host.clock.elapsed()
  }

  /** Sorted by domain, without sites that were not checked yet. */
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

  /** PHP, database and certificate of the sites that are due. */
  async look(): Promise<void> {
    const { clock } = this.#host
    await this.#bringUpToDate()
    const due = [...this.#watched.values()].filter(({ look_at }) => look_at <= clock.elapsed())
    await look(this.#host, due, { ...this.#looking, all: this.#watched.size })
    this.#looked_at = clock.elapsed()
  }

  get size(): number {
    return this.#watched.size
  }

  /** Front pages of the sites that are due; `beside`: how many other sites share the time. */
  async visit(beside = 0): Promise<void> {
    await visit(this.#host, [...this.#watched.values()], { ...this.#looking, beside })
  }

  /** By user: a site that is created again under its former domain is a different one. */
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
 * `beside`: the number of other sites that share the time.
 */
async function visit(
  host: Host,
  sites: readonly Watched[],
  { isBusy, beside }: Pick<Looking, 'isBusy'> & { beside: number },
): Promise<void> {
  const now = host.clock.elapsed()
  const isFree = ({ site, verdicts }: Watched) =>
    isWorthVisiting(verdicts) && !isBusy(site.domain) && !site.settings?.maintenance
  const due = sites
    .filter((watched) => isFree(watched) && isVisitDue(watched, now, sites.length + beside))
    .sort((one, other) => one.visited_at - other.visited_at)
    .slice(0, MAX_CONCURRENT)
  const before = new Map<Watched, Verdict>()
  for (const { watched, verdict } of await visitFree(host, due)) {
    // A new site that is up counts immediately.
    if (verdict.state !== (watched.verdicts.http?.state ?? 'up')) before.set(watched, verdict)
    else if (isFree(watched)) watched.verdicts = { ...watched.verdicts, http: verdict }
  }
  if (before.size === 0) return
  await host.clock.sleep(AGAIN_MS)
  const again = [...before.keys()].filter(isFree)
  for (const { watched, verdict } of await visitFree(host, again)) {
    if (before.get(watched)?.state === verdict.state && isFree(watched))
      watched.verdicts = { ...watched.verdicts, http: verdict }
  }
}

async function visitFree(host: Host, sites: readonly Watched[]) {
  const visits: { watched: Watched; visit: Visit }[] = []
  for (const watched of sites) {
    const { domain } = watched.site
    const tls = (await certificateOf(host, domain)) !== undefined
    // A parameter that no cache knows: neither nginx nor a plugin answers in place of the site.
    const path = `/?hosting-health=${host.random.text(12)}`
    visits.push({ watched, visit: { host: domain, path, tls } })
  }
  return visitAll(host, visits, checkPage)
}
