import * as nginx from '#agent/features/web/nginx.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { readCertificate } from '#agent/kernel/site/certificate-files.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { AgentNameStates } from '#shared/domains/name-states.ts'
import { isCovered } from '#shared/kernel/names.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { needsRenewal } from './coverage.ts'
import { readPhase } from './phases.ts'
import { isWaiting, readTries, type Try } from './tries.ts'

type NameCertificate = AgentNameStates['names'][number]['certificate']

const WITHOUT = { reason: '', next_at: null }

export type Resolve = Host['net']['resolve']

/** The DNS records of each name of a site, as this server finds them, and its certificate. */
export async function nameStates(
  host: Host,
  site: Site,
  resolve: Resolve = (names) => host.net.resolve(names),
): Promise<AgentNameStates> {
  const names = allNamesOf(site)
  const [records, tries, served, certificate, isDue, phase] = await Promise.all([
    resolve(names),
    readTries(host),
    nginx.certificateOf(host, site.domain),
    readCertificate(host, site.domain),
    needsRenewal(host, site),
    readPhase(host, site.domain),
  ])
  const now = host.clock.now()
  const ends = certificate ? Date.parse(certificate.validTo) : undefined
  const whole = wholeOf({ ends, now, isRenewed: isDue || phase !== undefined })
  const uncovered = (name: string): NameCertificate => {
    if (phase?.names.includes(name)) return { state: phase.phase, ...WITHOUT }
    if (site.tls === 'none') return { state: 'none', ...WITHOUT }
    const last = tries[name] ?? tries[site.domain]
    if (!last) return { state: 'waiting', ...WITHOUT }
    return { state: 'blocked', reason: last.reason, next_at: nextOf(last, now) }
  }
  const certificateOf = (name: string): NameCertificate => {
    const isCertified = served?.names?.some((written) => isCovered(name, written)) === true
    if (site.tls === 'none' || !isCertified) return uncovered(name)
    const tried = name === site.domain ? tries[name] : undefined
    return whole === 'active' || !tried
      ? { state: whole, ...WITHOUT }
      : { state: whole, reason: tried.reason, next_at: nextOf(tried, now) }
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
  /** Undefined: there is no certificate. */
  ends: number | undefined
  now: number
  isRenewed: boolean
}

function wholeOf({ ends, now, isRenewed }: Lifetime): NameCertificate['state'] {
  if (ends === undefined) return 'waiting'
  if (ends < now) return 'expired'
  return isRenewed ? 'renewing' : 'active'
}

/** Null: it is due. */
const nextOf = (tried: Try, now: number): string | null =>
  isWaiting(tried, now) ? tried.next_at : null
