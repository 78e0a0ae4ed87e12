import type { ReadingTable } from '#agent/kernel/calls/reading.ts'

const access = () => import('#agent/features/access/readings.ts')
const backup = () => import('#agent/features/backups/readings.ts')
const changes = () => import('#agent/kernel/calls/changes.ts')
const database = () => import('#agent/features/database/site/readings.ts')
const discovery = () => import('#agent/features/existing/readings.ts')
const jobs = () => import('#agent/features/jobs/readings.ts')
const keys = () => import('#agent/kernel/trust/readings.ts')
const logs = () => import('#agent/features/logs/readings.ts')
const server = () => import('#agent/features/servers/readings.ts')
const tool = () => import('#agent/features/database/tool/readings.ts')
const users = () => import('#agent/features/wordpress/login/users.ts')

export const readings: ReadingTable = {
  'GET /health': async () => (await server()).liveness,
  'GET /metrics': async () => (await server()).metrics,
  'GET /services': async () => (await server()).services,
  'GET /conditions': async () => (await server()).conditions,
  'GET /build': async () => (await server()).build,
  'GET /php': async () => (await server()).php,
  'GET /maintenance': async () => (await server()).maintenance,
  'GET /sites': async () => (await discovery()).sites,
  'GET /web': async () => (await discovery()).web,
  'GET /certificates': async () => (await discovery()).certificates,
  'POST /sites/db-password': async () => (await discovery()).databasePassword,
  'GET /trash': async () => (await import('#agent/features/sites/trash/trash.ts')).trash,
  'GET /usage': async () => (await import('#agent/features/metrics/usage/list.ts')).usage,
  'GET /mail': async () => (await import('#agent/features/mail/status.ts')).mail,
  'POST /sites/names': async () =>
    (await import('#agent/features/domains/names-reader.ts')).siteNames,
  'POST /sites/object-cache': async () =>
    (await import('#agent/features/object-cache/state.ts')).objectCache,
  'GET /access': async () => (await access()).access,
  'GET /logins': async () => (await access()).logins,
  'POST /sites/sessions': async () => (await access()).openSessions,
  'POST /sites/sessions/end': async () => (await access()).endOneSession,
  'GET /sites/health': async () => (await changes()).siteHealth,
  'GET /sites/numbers': async () => (await changes()).numbers,
  'GET /changes': async () => (await changes()).changes,
  'GET /operations': async () => (await changes()).operations,
  'GET /job-troubles': async () => (await jobs()).jobTroubles,
  'POST /sites/job-runs': async () => (await jobs()).jobRuns,
  'POST /sites/jobs': async () => (await jobs()).siteJobs,
  'POST /sites/job-output': async () => (await jobs()).jobOutput,
  'POST /sites/wordpress-cron': async () => (await jobs()).wordpressCron,
  'POST /sites/wordpress-users': async () => (await users()).wordpressUsers,
  'POST /sites/admin-password': async () => (await users()).adminPassword,
  'POST /sites/database': async () => (await database()).database,
  'POST /sites/database-users': async () => (await database()).databaseUsers,
  'POST /sites/database-export': async () => (await database()).databaseExport,
  'POST /sites/database-exporting': async () => (await database()).exporting,
  'POST /sites/database-upload': async () => (await database()).upload,
  'POST /sites/database-tool': async () => (await tool()).tool,
  'POST /sites/database-tool-file': async () => (await tool()).toolFile,
  'POST /sites/logs/list': async () => (await logs()).logs,
  'POST /sites/logs/search': async () => (await logs()).logPage,
  'POST /sites/logs/fatals': async () => (await logs()).fatalErrors,
  'POST /sites/logs/download': async () => (await logs()).logDownload,
  'POST /sites/logs/tail': async () => (await logs()).logTail,
  'POST /backups/browse': async () => (await backup()).browse,
  'POST /backups/download': async () => (await backup()).backupDownload,
  'POST /backups/find': async () => (await backup()).repositories,
  'POST /backups/list': async () => (await backup()).backups,
  'POST /backups/keeper': async () => (await backup()).keeper,
  'GET /keys': async () => (await keys()).keys,
  'POST /keys': async () => (await keys()).newKeys,
  'POST /record': async () => (await keys()).witness,
}
