import * as nginx from '#agent/features/web/nginx.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { readCertificate } from '#agent/kernel/site/certificate-files.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { isCovered } from '#shared/kernel/names.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { type RenewalTimes, readRenewalTimes } from './renewal-times.ts'

/** Returns the names of a site that its certificate lacks; none if it needs no certificate. */
export async function missingNames(host: Host, site: Site): Promise<string[]> {
  if (site.tls === 'none') return []
  const { names = [] } = (await nginx.certificateOf(host, site.domain)) ?? {}
  return allNamesOf(site).filter((name) => !names.some((written) => isCovered(name, written)))
}

/**
 * Returns whether the certificate is due: at the time that the authority suggests, and in the last
 * tenth of the lifetime at the latest; without a suggestion in the last third. A self-signed one
 * has no authority.
 */
export async function needsRenewal(
  host: Host,
  { domain, tls }: Pick<Site, 'domain' | 'tls'>,
  known?: RenewalTimes,
): Promise<boolean> {
  if (tls === 'none') return false
  const found = await readCertificate(host, domain)
  if (!found || (tls === 'letsencrypt' && found.issuer === found.subject)) return true
  // The share of the lifetime counts, not days: authorities shorten it from 90 days to 45.
  const [from, to] = [Date.parse(found.validFrom), Date.parse(found.validTo)]
  const [left, lifetime] = [to - host.clock.now(), to - from]
  const suggested = (known ?? (await readRenewalTimes(host)))[domain]
  if (suggested?.serial !== found.serialNumber || suggested.at === null) return left < lifetime / 3
  return Date.parse(suggested.at) <= host.clock.now() || left < lifetime / 10
}
