import type { Host } from '#agent/kernel/host/ports.ts'
import { mapConcurrently } from '#agent/kernel/host/processes/map-concurrently.ts'
import { parseCertificate } from '#agent/kernel/site/certificate-files.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import type { SiteCertificate } from '#shared/servers/agent.ts'
import { listVhosts } from './vhosts.ts'

const MAX_CONCURRENT = 8

/** Returns the expiry of each readable served certificate by the names of `discoverSites`. */
export async function servedCertificates(host: Host): Promise<SiteCertificate[]> {
  const [vhosts, sites] = await Promise.all([listVhosts(host), listSites(host)])
  const own = new Set(sites.map(({ domain }) => domain))
  const secure = vhosts.filter(({ certificate }) => certificate !== '')
  const found = await mapConcurrently(
    secure,
    MAX_CONCURRENT,
    async ({ certificate, names, domain }) => {
      const read = parseCertificate(await host.files.read(certificate).catch(() => undefined))
      const ends = new Date(read?.validTo ?? '')
      if (Number.isNaN(ends.getTime())) return []
      const name = names.find((known) => own.has(known)) ?? domain
      return [{ domain: name, expires_at: ends.toISOString() }]
    },
  )
  return found.flat().sort((one, other) => (one.domain < other.domain ? -1 : 1))
}
