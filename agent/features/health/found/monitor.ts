import { listVhosts, type Vhost } from '#agent/features/existing/vhosts.ts'
import { isLoopback, type Listen } from '#agent/features/existing/web/virtual-host.ts'
import { expiryOf } from '#agent/features/health/certificate.ts'
import { checkPage } from '#agent/features/health/check-page.ts'
import { healthOf, unknownHealth, type Verdicts } from '#agent/features/health/verdict.ts'
import { visitAll } from '#agent/features/health/visit-all.ts'
import { sharedInterval } from '#agent/features/health/watched-site.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { VisitRequest, VisitResult } from '#agent/kernel/host/visit-port.ts'
import { parseCertificate } from '#agent/kernel/site/certificate-files.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import { degraded, down, type HealthVerdict, UP, up } from '#shared/health/page-verdict.ts'
import type { SiteHealth } from '#shared/servers/agent.ts'

/** The interval of reading the configuration of the web servers, which runs programs. */
const LIST_MS = 5 * 60_000
/** The age after which results are outdated. */
const STALE_MS = 3 * LIST_MS
const MAX_CONCURRENT = 8
const RECHECK_MS = 3000

/** Checks discovered sites: their front pages as visitors see them, and their certificates. */
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

  /** Lists the health of the sites that were visited at least once. */
  list(): SiteHealth[] {
    const stale = this.#host.clock.elapsed() - this.#listed_at > STALE_MS
    return [...this.#watched].flatMap(([domain, { verdicts }]) => {
      if (verdicts.http === undefined) return []
      return [stale ? unknownHealth(domain) : healthOf(domain, verdicts)]
    })
  }

  /** Visits the sites that are due; `beside` is the number of other sites that share the time. */
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
    await clock.sleep(RECHECK_MS)
    await this.#round([...changed.keys()], (watched, { state }) => {
      return changed.get(watched)?.state === state
    })
  }

  /** Stores confirmed results; returns the others, since one missing answer changes nothing. */
  async #round(
    due: readonly WatchedFound[],
    isBelieved: (watched: WatchedFound, verdict: HealthVerdict) => boolean,
  ): Promise<Map<WatchedFound, HealthVerdict>> {
    const doubted = new Map<WatchedFound, HealthVerdict>()
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

const MIN_INTERVAL_MS = 60_000
/** The interval of a site that is not up, whose recovery should be seen soon. */
const UNHEALTHY_MS = 30_000

/** The state of one discovered site. All times are those of Clock.elapsed. */
interface WatchedFound {
  target: FoundTarget
  verdicts: Verdicts
  visited_at: number
  /** The duration of the last visit. */
  visit_ms: number
}

function newlyFound(target: FoundTarget): WatchedFound {
  return { target, verdicts: {}, visited_at: Number.NEGATIVE_INFINITY, visit_ms: 0 }
}

/** Returns whether a visit is due; `all` is the number of sites that share the time. */
function isVisitDue(watched: WatchedFound, now: number, all: number): boolean {
  const { verdicts, visited_at, visit_ms } = watched
  const least = (verdicts.http?.state ?? 'up') === 'up' ? MIN_INTERVAL_MS : UNHEALTHY_MS
  return now - visited_at >= sharedInterval(visit_ms, all, least)
}

const CLOSED = up('http_closed', 'Its web server is configured to refuse every visitor')

/** Counts every answer below 500 as intended: the intended content is unknown. */
export function checkFoundPage(visited: VisitResult, url: string): HealthVerdict {
  if ('failed' in visited) {
    if (visited.failed !== 'refused') return checkPage(visited, url)
    return down('http_refused', 'Nothing answers at its address on this server')
  }
  const { status, headers } = visited
  if (status >= 500) {
    const verdict = checkPage(visited, url)
    if (verdict.code !== 'http_gateway') return verdict
    const reason = `Its front page answers ${status}: the program behind it returned no answer`
    return down('http_gateway', reason)
  }
  if (status === 401 || status === 403)
    return up('http_protected', `Its front page answers ${status}: it is not public`)
  if (status >= 400) return up('http_answers', `Its front page answers ${status}`)
  if (status >= 300) return up('http_redirect', 'Its front page redirects to another address')
  return /^(HIT|STALE)$/.test(headers['x-cache'] ?? '') ? up('http_cached', '') : UP
}

/** Accepts a self-signed certificate, for example behind a proxy that does not verify it. */
export function checkFoundCertificate(
  found: { issuer: string; subject: string; validTo: string; checkHost(name: string): unknown },
  domain: string,
  now: number,
): HealthVerdict {
  if (found.issuer === found.subject) return up('certificate_self_signed', 'It is self-signed')
  const { date, expired, ending } = expiryOf(found, now)
  if (expired) return expired
  if (found.checkHost(domain) === undefined)
    return degraded('certificate_name', 'Its certificate is for another name')
  return ending ?? up('up', `It expires on ${date}`)
}

/** A site that this agent did not create, and how its visitors reach it. */
interface FoundTarget {
  domain: string
  /** The path of the certificate that is configured; empty without TLS. */
  certificate: string
  /** The way to visit the site; undefined when its web server refuses everybody. */
  visit: VisitRequest | undefined
}

/** Lists foreign sites with an address and port of this machine, by domain. */
async function listTargets(host: Host): Promise<Map<string, FoundTarget>> {
  const [vhosts, sites] = await Promise.all([listVhosts(host), listSites(host)])
  const own = new Set(sites.map(({ domain }) => domain))
  const targets = vhosts
    .filter(({ names }) => !names.some((name) => own.has(name)))
    .flatMap(targetOf)
  return new Map(targets.map((target) => [target.domain, target]))
}

function targetOf({ domain, certificate, kind, listens }: Vhost): FoundTarget[] {
  const listen = kind === 'closed' ? undefined : bestOf(listens)
  if (!listen && kind !== 'closed') return []
  return [{ domain, certificate, visit: listen && visitOf(domain, listen) }]
}

/** Prefers HTTPS, and the usual ports, as a browser does. */
function bestOf(listens: readonly Listen[]): Listen | undefined {
  const rank = ({ address, port, tls, only_ipv6 }: Listen) =>
    [!isLoopback(address), port === (tls ? 443 : 80), tls, only_ipv6 !== true].reduce(
      (sum, score) => sum * 2 + Number(score),
      0,
    )
  const [best] = listens
    .filter(({ port }) => port > 0)
    .toSorted((one, other) => rank(other) - rank(one))
  return best
}

/** Requests the front page without a parameter, which would fill the caches of the site. */
function visitOf(domain: string, { address, port, tls, only_ipv6 }: Listen): VisitRequest {
  const target = only_ipv6 ? '::1' : address.replace(/^\[|\]$/g, '')
  return {
    host: domain,
    path: '/',
    tls,
    ...(target !== '' && { address: target }),
    ...(port !== (tls ? 443 : 80) && { port }),
  }
}
