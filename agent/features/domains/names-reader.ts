import * as nginx from '#agent/features/web/nginx.ts'
import { perHost, reading } from '#agent/kernel/calls/reading.ts'
import type { Host, ResolvedAddresses } from '#agent/kernel/host/ports.ts'
import { readCertificate } from '#agent/kernel/site/certificate-files.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import type { AgentNameStates } from '#shared/domains/name-states.ts'
import { isCovered } from '#shared/kernel/names.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { nameStatesReading } from '#shared/sites/readings.ts'
import { needsRenewal } from './certificate-coverage.ts'
import { type FailedRequest, isRetryPending, readFailedRequests } from './failed-requests.ts'
import { readPhase } from './issue-phase.ts'

const KEPT_MS = 10_000

/** Returns a `nameStates` that pages may read every two seconds during a request. */
export function namesReader(host: Host): (domain: string) => Promise<AgentNameStates> {
  const kept = cachedResolve(host, (names) => host.net.resolve(names))
  return async (domain) => {
    const site = await getSite(host, domain)
    const isRunning = (await readPhase(host, domain)) !== undefined
    return nameStates(host, site, isRunning ? kept : undefined)
  }
}

/** Caches the records of the same names for ten seconds. */
function cachedResolve({ clock }: Host, resolve: Resolve): Resolve {
  const kept = new Map<string, { found: Promise<ResolvedAddresses[]>; until: number }>()
  return (names) => {
    for (const [key, { until }] of kept) if (clock.elapsed() >= until) kept.delete(key)
    const key = names.join(' ')
    const known = kept.get(key)
    if (known) return known.found
    const found = resolve(names)
    kept.set(key, { found, until: clock.elapsed() + KEPT_MS })
    found.catch(() => kept.delete(key))
    return found
  }
}

const namesOf = perHost(namesReader)
export const siteNames = reading(nameStatesReading, ({ host, params }) =>
  namesOf(host)(params.domain),
)

type NameCertificate = AgentNameStates['names'][number]['certificate']

const WITHOUT_FAILURE = { reason: '', next_at: null }

type Resolve = Host['net']['resolve']

/** Returns DNS records of each name of a site as this server finds them, and its certificate. */
export async function nameStates(
  host: Host,
  site: Site,
  resolve: Resolve = (names) => host.net.resolve(names),
): Promise<AgentNameStates> {
  const names = allNamesOf(site)
  const [records, tries, served, certificate, isDue, phase] = await Promise.all([
    resolve(names),
    readFailedRequests(host),
    nginx.certificateOf(host, site.domain),
    readCertificate(host, site.domain),
    needsRenewal(host, site),
    readPhase(host, site.domain),
  ])
  const now = host.clock.now()
  const ends = certificate ? Date.parse(certificate.validTo) : undefined
  const whole = lifetimeState({ ends, now, isRenewed: isDue || phase !== undefined })
  const uncovered = (name: string): NameCertificate => {
    if (phase?.names.includes(name)) return { state: phase.phase, ...WITHOUT_FAILURE }
    if (site.tls === 'none') return { state: 'none', ...WITHOUT_FAILURE }
    const last = tries[name] ?? tries[site.domain]
    if (!last) return { state: 'waiting', ...WITHOUT_FAILURE }
    return { state: 'blocked', reason: last.reason, next_at: nextAttempt(last, now) }
  }
  const certificateOf = (name: string): NameCertificate => {
    const isCertified = served?.names?.some((written) => isCovered(name, written)) === true
    if (site.tls === 'none' || !isCertified) return uncovered(name)
    const tried = name === site.domain ? tries[name] : undefined
    return whole === 'active' || !tried
      ? { state: whole, ...WITHOUT_FAILURE }
      : { state: whole, reason: tried.reason, next_at: nextAttempt(tried, now) }
  }
  return {
    self_signed: served?.self_signed ?? false,
    expires_at: ends === undefined ? '' : new Date(ends).toISOString(),
    names: names.map((name, at) => ({
      name,
      records: records[at] ?? null,
      certificate: certificateOf(name),
    })),
  }
}

interface Lifetime {
  /** The time when the certificate expires; undefined when there is none. */
  ends: number | undefined
  now: number
  isRenewed: boolean
}

function lifetimeState({ ends, now, isRenewed }: Lifetime): NameCertificate['state'] {
  if (ends === undefined) return 'waiting'
  if (ends < now) return 'expired'
  return isRenewed ? 'renewing' : 'active'
}

/** Returns the time of the next attempt; null when it is due. */
const nextAttempt = (tried: FailedRequest, now: number): string | null =>
  isRetryPending(tried, now) ? tried.next_at : null
