import type { Host } from '../host/ports.ts'
import type { Readings } from '../readings.ts'
import { buildOf } from './build.ts'
import { listConditions } from './conditions.ts'
import { databasePassword } from './db-password.ts'
import { discoverSites, discoverWeb } from './discovery.ts'
import type { HealthMonitor } from './health/monitor.ts'
import { isCanary } from './isolation/canaries.ts'
import { listJobRuns } from './job-runs/list.ts'
import { readMail } from './mail/status.ts'
import { readMaintenance } from './maintenance/records.ts'
import { metricsReader } from './metrics.ts'
import { servedCertificates } from './served-certificates.ts'
import { serviceStatuses } from './service-status.ts'
import { getSite } from './sites.ts'
import { listTrash } from './trash.ts'
import { listUsage } from './usage/list.ts'
import { setAdminPassword } from './wordpress.ts'

/** What this machine tells of itself. */
export function readingsOf(host: Host, monitor: Pick<HealthMonitor, 'list'>): Readings {
  return {
    metrics: metricsReader(host),
    services: () => serviceStatuses(host),
    build: () => buildOf(host),
    sites: async () => (await discoverSites(host)).filter(({ domain }) => !isCanary(domain)),
    web: () => discoverWeb(host),
    trash: () => listTrash(host),
    certificates: () => servedCertificates(host),
    usage: () => listUsage(host),
    maintenance: () => readMaintenance(host),
    mail: () => readMail(host),
    conditions: kept(host, () => listConditions(host)),
    health: async () => monitor.list(),
    jobRuns: (domain) => listJobRuns(host, domain),
    databasePassword: (domain) => databasePassword(host, domain),
    adminPassword: async (domain) => setAdminPassword(host, await getSite(host, domain)),
  }
}

const KEPT_MS = 15_000

/** Asked by whoever opens a page: for some seconds one answer is enough for all of them. */
function kept<T>({ clock }: Pick<Host, 'clock'>, ask: () => Promise<T>): () => Promise<T> {
  let last: { answer: Promise<T>; until: number } | undefined
  return () => {
    if (last && clock.elapsed() < last.until) return last.answer
    const answer = ask()
    last = { answer, until: clock.elapsed() + KEPT_MS }
    answer.catch(() => {
      last = undefined
    })
    return answer
  }
}
