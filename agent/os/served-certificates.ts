import type { SiteCertificate } from '#shared/agent.ts'
import type { Host } from '../host/ports.ts'
import { parseCertificate } from './certificate-files.ts'
import { listSites } from './sites.ts'
import { listVhosts } from './vhosts.ts'

/**
 * When the certificate of each site ends that is served with one, whoever got it, under the names
 * that `discoverSites` gives them. One that cannot be read is left out.
 */
export async function servedCertificates(host: Host): Promise<SiteCertificate[]> {
  const [vhosts, sites] = await Promise.all([listVhosts(host), listSites(host)])
  const own = new Set(sites.map(({ domain }) => domain))
  const found: SiteCertificate[] = []
  for (const { certificate, names, domain } of vhosts) {
    if (certificate === '') continue
    const read = parseCertificate(await host.files.read(certificate).catch(() => undefined))
    const ends = new Date(read?.validTo ?? '')
    if (Number.isNaN(ends.getTime())) continue
    const name = names.find((known) => own.has(known)) ?? domain
    found.push({ domain: name, expires_at: ends.toISOString() })
  }
  return found.sort((one, other) => (one.domain < other.domain ? -1 : 1))
}
