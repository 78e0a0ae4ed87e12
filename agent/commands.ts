import type { CommandTable } from '#agent/kernel/steps/command.ts'

export const commands: CommandTable = {
  'agent.upgrade': async () =>
    (await import('#agent/features/servers/agent.upgrade.ts')).agentUpgrade,
  'backup.check': async () => (await import('#agent/features/backups/backup.check.ts')).backupCheck,
  'backup.create': async () =>
    (await import('#agent/features/backups/backup.create.ts')).backupCreate,
  'backup.prove': async () => (await import('#agent/features/backups/backup.prove.ts')).backupProve,
  'backup.restore': async () =>
    (await import('#agent/features/backups/backup.restore.ts')).backupRestore,
  'backup.undo': async () => (await import('#agent/features/backups/backup.undo.ts')).backupUndo,
  'cache.purge': async () => (await import('#agent/features/web/cache.purge.ts')).cachePurge,
  'isolation.check': async () =>
    (await import('#agent/features/isolation/isolation.check.ts')).isolationCheck,
  'mail.apply': async () => (await import('#agent/features/mail/mail.apply.ts')).mailApply,
  'mail.check': async () => (await import('#agent/features/mail/mail.check.ts')).mailCheck,
  'database.import': async () =>
    (await import('#agent/features/database/database.import.ts')).databaseImport,
  'database.maintain': async () =>
    (await import('#agent/features/database/database.maintain.ts')).databaseMaintain,
  'database.tool': async () =>
    (await import('#agent/features/database/database.tool.ts')).databaseTool,
  'database.user': async () =>
    (await import('#agent/features/database/database.user.ts')).databaseUser,
  'database.user-end': async () =>
    (await import('#agent/features/database/database.user-end.ts')).databaseUserEnd,
  'pool.apply': async () => (await import('#agent/features/sites/pool.apply.ts')).poolApply,
  'server.provision': async () =>
    (await import('#agent/features/servers/server.provision.ts')).serverProvision,
  'server.update': async () =>
    (await import('#agent/features/updates/server.update.ts')).serverUpdate,
  'service.restart': async () =>
    (await import('#agent/features/servers/service.restart.ts')).serviceRestart,
  'site.gather': async () => (await import('#agent/features/moves/site.gather.ts')).siteGather,
  'site.access': async () => (await import('#agent/features/access/site.access.ts')).siteAccess,
  'site.catch-up': async () => (await import('#agent/features/moves/site.catch-up.ts')).siteCatchUp,
  'site.clone': async () => (await import('#agent/features/copies/site.clone.ts')).siteClone,
  'site.compare': async () => (await import('#agent/features/copies/site.compare.ts')).siteCompare,
  'site.configure': async () =>
    (await import('#agent/features/sites/site.configure.ts')).siteConfigure,
  'site.create': async () => (await import('#agent/features/sites/site.create.ts')).siteCreate,
  'site.delete': async () => (await import('#agent/features/sites/site.delete.ts')).siteDelete,
  'site.domains': async () => (await import('#agent/features/domains/site.domains.ts')).siteDomains,
  'site.job-run': async () => (await import('#agent/features/jobs/site.job-run.ts')).siteJobRun,
  'site.jobs': async () => (await import('#agent/features/jobs/site.jobs.ts')).siteJobs,
  'site.object-cache': async () =>
    (await import('#agent/features/object-cache/site.object-cache.ts')).siteObjectCache,
  'site.purge': async () => (await import('#agent/features/sites/site.purge.ts')).sitePurge,
  'site.push': async () => (await import('#agent/features/copies/site.push.ts')).sitePush,
  'staging.password': async () =>
    (await import('#agent/features/copies/staging.password.ts')).stagingPassword,
  'site.receive': async () => (await import('#agent/features/moves/site.receive.ts')).siteReceive,
  'site.refresh': async () => (await import('#agent/features/copies/site.refresh.ts')).siteRefresh,
  'site.rename': async () => (await import('#agent/features/copies/site.rename.ts')).siteRename,
  'site.rename-preview': async () =>
    (await import('#agent/features/copies/site.rename-preview.ts')).siteRenamePreview,
  'site.restore': async () => (await import('#agent/features/sites/site.restore.ts')).siteRestore,
  'site.resume': async () => (await import('#agent/features/sites/site.resume.ts')).siteResume,
  'site.suspend': async () => (await import('#agent/features/sites/site.suspend.ts')).siteSuspend,
  'site.switch': async () => (await import('#agent/features/moves/site.switch.ts')).siteSwitch,
  'site.update': async () => (await import('#agent/features/sites/site.update.ts')).siteUpdate,
  'tls.issue': async () => (await import('#agent/features/domains/tls.issue.ts')).tlsIssue,
  'updates.configure': async () =>
    (await import('#agent/features/updates/updates.configure.ts')).updatesConfigure,
  'wp.cache-flush': async () =>
    (await import('#agent/features/wordpress/wp.cache-flush.ts')).wpCacheFlush,
  'wp.cron-run': async () => (await import('#agent/features/wordpress/wp.cron-run.ts')).wpCronRun,
  'wp.debug': async () => (await import('#agent/features/sites/wp.debug.ts')).wpDebug,
  'wp.login': async () => (await import('#agent/features/wordpress/wp.login.ts')).wpLogin,
  'wp.scan': async () => (await import('#agent/features/wordpress/wp.scan.ts')).wpScan,
}
