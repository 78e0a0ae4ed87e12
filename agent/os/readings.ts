import type { Host } from '../host/ports.ts'
import type { Readings } from '../readings.ts'
import { buildOf } from './build.ts'
import { databasePassword } from './db-password.ts'
import { discoverSites } from './discovery.ts'
import { metricsReader } from './metrics.ts'
import { servedCertificates } from './served-certificates.ts'
import { serviceStatuses } from './service-status.ts'
import { getSite } from './sites.ts'
import { listTrash } from './trash.ts'
import { setAdminPassword } from './wordpress.ts'

/** What this machine tells of itself. */
export function readingsOf(host: Host): Readings {
  return {
    metrics: metricsReader(host),
    services: () => serviceStatuses(host),
    build: () => buildOf(host),
    sites: () => discoverSites(host),
    trash: () => listTrash(host),
    certificates: () => servedCertificates(host),
    databasePassword: (domain) => databasePassword(host, domain),
    adminPassword: async (domain) => setAdminPassword(host, await getSite(host, domain)),
  }
}
