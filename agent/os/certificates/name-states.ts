import type { Host } from '#agent/host/ports.ts'
import * as nginx from '#agent/os/nginx/nginx.ts'
import type { Site } from '#agent/os/site/sites.ts'
import { readCertificate } from '#agent/os/tls/certificate-files.ts'
import type { AgentNameStates } from '#shared/name-states.ts'
import { isCovered } from '#shared/names.ts'
import { allNamesOf } from '#shared/site-names.ts'
import { needsRenewal } from './coverage.ts'
import { isWaiting, readTries, type Try } from './tries.ts'

type NameCertificate = AgentNameStates['names'][number]['certificate']

const WITHOUT = { reason: '', next_at: null }

/** The DNS records of each name of a site, as this server finds them, and its certificate. */
export async function nameStates(host: Host, site: Site): Promise<AgentNameStates> {
  const names = allNamesOf(site)
  const [records, tries, served, certificate, isDue] = await Promise.all([
    host.net.resolve(names),
    readTries(host),
    nginx.certificateOf(host, site.domain),
    readCertificate(host, site.domain),
    needsRenewal(host, site),
  ])
  const now = host.clock.now()
  const ends = certificate ? Date.parse(certificate.validTo) : undefined
  const whole =
    ends === undefined ? 'waiting' : ends < now ? 'expired' : isDue ? 'renewing' : 'active'
  const certificateOf = (name: string): NameCertificate => {
    if (site.tls === 'none') return { state: 'none', ...WITHOUT }
    const isPrimary = name === site.domain
    const tried = tries[name]
    if (served?.names?.some((written) => isCovered(name, written))) {
      return whole === 'active' || !isPrimary || !tried
        ? { state: whole, ...WITHOUT }
        : { state: whole, reason: tried.reason, next_at: nextOf(tried, now) }
    }
    const last = tried ?? tries[site.domain]
    if (!last) return { state: 'waiting', ...WITHOUT }
    return { state: 'blocked', reason: last.reason, next_at: nextOf(last, now) }
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

/** Null: it is due. */
const nextOf = (tried: Try, now: number): string | null =>
  isWaiting(tried, now) ? tried.next_at : null
