import type { Host } from '#agent/host/ports.ts'
import { listAccess } from '#agent/os/access/list.ts'
import { Logins } from '#agent/os/access/logins.ts'
import { BackupBrowser } from '#agent/os/backup/read/browse.ts'
import { Downloads } from '#agent/os/backup/read/download.ts'
import { findRepositories, readKeeper } from '#agent/os/backup/storage/find.ts'
import { listBackups } from '#agent/os/backup/storage/list.ts'
import { namesReader } from '#agent/os/certificates/names-reader.ts'
import { DatabaseTool } from '#agent/os/database-tool/ask.ts'
import { databasePassword } from '#agent/os/discovery/db-password.ts'
import { discoverSites, discoverWeb } from '#agent/os/discovery/discovery.ts'
import { servedCertificates } from '#agent/os/discovery/served-certificates.ts'
import type { HealthMonitor } from '#agent/os/health/monitor.ts'
import { isCanary } from '#agent/os/isolation/canaries.ts'
import { listJobRuns } from '#agent/os/job-runs/list.ts'
import { listOwnJobs, readJobOutput } from '#agent/os/job-runs/own.ts'
import { listJobTroubles } from '#agent/os/job-runs/troubles.ts'
import { readEvents } from '#agent/os/job-runs/wordpress-events.ts'
import { listUsers } from '#agent/os/login/users.ts'
import { LogTails } from '#agent/os/logs/follow.ts'
import { downloadLog, groupFatals, listLogs, searchLog } from '#agent/os/logs/read.ts'
import { readMail } from '#agent/os/mail/status.ts'
import { readMaintenance } from '#agent/os/maintenance/records.ts'
import type { NumbersCollector } from '#agent/os/numbers/collector.ts'
import { readObjectCache } from '#agent/os/object-cache/state.ts'
import { listPhp } from '#agent/os/php/extensions.ts'
import { listConditions } from '#agent/os/server/conditions.ts'
import { metricsReader } from '#agent/os/server/metrics.ts'
import { serviceStatuses } from '#agent/os/server/service-status.ts'
import { getSite } from '#agent/os/site/sites.ts'
import { Exports } from '#agent/os/site-database/export.ts'
import { readDatabase } from '#agent/os/site-database/reading.ts'
import { storePart } from '#agent/os/site-database/uploads.ts'
import { listDatabaseUsers } from '#agent/os/site-database/users.ts'
import { listTrash } from '#agent/os/trash/trash.ts'
import { buildOf } from '#agent/os/upgrade/build.ts'
import { listUsage } from '#agent/os/usage/list.ts'
import { setAdminPassword } from '#agent/os/wordpress/wordpress.ts'
import type { SiteHealth } from '#shared/agent.ts'
import type { FindRequest, KeeperRequest, ListRequest } from '#shared/backup-find.ts'
import type { BrowseRequest, DownloadRequest } from '#shared/backup-read.ts'
import type { ToolFileRequest, ToolRequest } from '#shared/database-tool.ts'
import type { UploadRequest } from '#shared/site-database.ts'
import type {
  LogDownloadRequest,
  LogFatalsRequest,
  LogSearchRequest,
  LogTailRequest,
} from '#shared/site-logs.ts'
import { pulseReader } from './pulse.ts'
import { stateReader } from './state.ts'

/** The reading calls of the agent on this machine. Unknown domains throw not_found naming them. */
export function readingsOf(
  host: Host,
  monitor: Pick<HealthMonitor, 'list'>,
  numbers: Pick<NumbersCollector, 'list' | 'changed'> = { list: () => [], changed: 0 },
) {
  const downloads = new Downloads(host)
  const tails = new LogTails(host)
  const exports = new Exports(host)
  const tool = new DatabaseTool(host)
  const browser = new BackupBrowser(host)
  const logins = new Logins(host)
  const synced = {
    metrics: metricsReader(host),
    services: () => serviceStatuses(host),
    sites: async () => (await discoverSites(host)).filter(({ domain }) => !isCanary(domain)),
    /** The web servers, and the sites that have no domain. */
    web: () => discoverWeb(host),
    trash: () => listTrash(host),
    certificates: () => servedCertificates(host),
    /** The last measurement. */
    usage: () => listUsage(host),
    /** The last check; null before the first one. */
    maintenance: () => readMaintenance(host),
    mail: () => readMail(host),
    jobTroubles: () => listJobTroubles(host),
    access: () => listAccess(host),
    /** Of people, to sites. */
    logins: () => logins.list(),
  }
  const state = stateReader({ ...synced, clock: host.clock })
  const health = async (): Promise<SiteHealth[]> => monitor.list()
  return {
    ...synced,
    /** Of the time limits of calls. */
    clock: host.clock,
    state,
    health,
    pulse: pulseReader({ ...host, ...synced, state, health, counted: () => numbers.changed }),
    build: () => buildOf(host),
    /** Obstacles to new sites; at most some seconds old. */
    conditions: kept(host, () => listConditions(host)),
    php: () => listPhp(host),
    /** Of each site since a time, in seconds since 1970. */
    numbers: async (since: number) => numbers.list(since),
    /** The runs of the jobs of a site, newest first. */
    jobRuns: (domain: string) => listJobRuns(host, domain),
    siteJobs: (domain: string) => listOwnJobs(host, domain),
    jobOutput: (request: { domain: string; name: string }) => readJobOutput(host, request),
    wordpressCron: (domain: string) => readEvents(host, domain),
    nameStates: namesReader(host),
    wordpressUsers: async (domain: string) => listUsers(host, await getSite(host, domain)),
    /** A folder of a backup, and its tables. */
    browse: (request: BrowseRequest) => browser.browse(request),
    /** Keeps the logins of people that the journal has. */
    keepLogins: () => logins.keep(),
    /** Frees the memory of backups that nobody browses any more. */
    expireBrowsed: () => browser.expire(),
    download: (request: DownloadRequest) => downloads.start(request),
    /** What is in a storage, whichever dashboard made it. */
    findRepositories: (request: FindRequest) => findRepositories(host, request),
    listBackups: (request: ListRequest) => listBackups(host, request),
    readKeeper: (request: KeeperRequest) => readKeeper(host, request),
    objectCache: (domain: string) => readObjectCache(host, domain),
    logs: (domain: string) => listLogs(host, domain),
    searchLog: (request: LogSearchRequest) => searchLog(host, request),
    fatals: (request: LogFatalsRequest) => groupFatals(host, request),
    downloadLog: (request: LogDownloadRequest) => downloadLog(host, request),
    followLog: (request: LogTailRequest) => tails.start(request),
    /** Sizes and names in the database of a site. */
    database: (domain: string) => readDatabase(host, domain),
    databaseUsers: (domain: string) => listDatabaseUsers(host, domain),
    /** As packed SQL. */
    exportDatabase: (domain: string) => exports.start(domain),
    exporting: async (domain: string) => ({ export: exports.progress(domain) }),
    storePart: (request: UploadRequest, importing: readonly string[]) =>
      storePart(host, request, importing),
    askTool: (request: ToolRequest) => tool.ask(request),
    toolFile: (request: ToolFileRequest) => tool.file(request),
    databasePassword: (domain: string) => databasePassword(host, domain),
    adminPassword: async (domain: string) => setAdminPassword(host, await getSite(host, domain)),
  }
}

export type Readings = ReturnType<typeof readingsOf>

const KEPT_MS = 15_000

/** Requested by every open page: one answer is reused for some seconds. */
function kept<T>({ clock }: Pick<Host, 'clock'>, read: () => Promise<T>): () => Promise<T> {
  let last: { answer: Promise<T>; until: number } | undefined
  return () => {
    if (last && clock.elapsed() < last.until) return last.answer
    const answer = read()
    last = { answer, until: clock.elapsed() + KEPT_MS }
    answer.catch(() => {
      last = undefined
    })
    return answer
  }
}
