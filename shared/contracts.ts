import type { CommandName, Commands } from './commands.ts'

type Loaders = { readonly [N in CommandName]: () => Promise<Commands[N]> }

/** The loaders of contracts: schemas are built on first use, few in an agent. */
const LOADERS: Loaders = {
  'agent.upgrade': async () =>
    (await import('#shared/servers/agent.upgrade.ts')).agentUpgradeType.command,
  'backup.check': async () =>
    (await import('#shared/backups/backup.check.ts')).backupCheckType.command,
  'backup.create': async () =>
    (await import('#shared/backups/backup.create.ts')).backupCreateType.command,
  'backup.prove': async () =>
    (await import('#shared/backups/backup.prove.ts')).backupProveType.command,
  'backup.restore': async () =>
    (await import('#shared/backups/backup.restore.ts')).backupRestoreType.command,
  'backup.undo': async () =>
    (await import('#shared/backups/backup.undo.ts')).backupUndoType.command,
  'database.import': async () =>
    (await import('#shared/database/database.import.ts')).databaseImportType.command,
  'database.maintain': async () =>
    (await import('#shared/database/database.maintain.ts')).databaseMaintainType.command,
  'database.tool': async () =>
    (await import('#shared/database/database.tool.ts')).databaseToolType.command,
  'database.user': async () =>
    (await import('#shared/database/database.user.ts')).databaseUserType.command,
  'database.user-end': async () =>
    (await import('#shared/database/database.user-end.ts')).databaseUserEndType.command,
  'isolation.check': async () =>
    (await import('#shared/isolation/isolation.check.ts')).isolationCheckType.command,
  'mail.apply': async () => (await import('#shared/mail/mail.apply.ts')).mailApplyType.command,
  'mail.check': async () => (await import('#shared/mail/mail.check.ts')).mailCheckType.command,
  'server.provision': async () =>
    (await import('#shared/servers/server.provision.ts')).serverProvisionType.command,
  'server.update': async () =>
    (await import('#shared/updates/server.update.ts')).serverUpdateType.command,
  'updates.configure': async () =>
    (await import('#shared/updates/updates.configure.ts')).updatesConfigureType.command,
  'service.restart': async () =>
    (await import('#shared/servers/service.restart.ts')).serviceRestartType.command,
  'site.create': async () => (await import('#shared/sites/site.create.ts')).siteCreateType.command,
  'site.clone': async () => (await import('#shared/copies/site.clone.ts')).siteCloneType.command,
  'site.refresh': async () =>
    (await import('#shared/copies/site.refresh.ts')).siteRefreshType.command,
  'site.compare': async () =>
    (await import('#shared/copies/site.compare.ts')).siteCompareType.command,
  'site.push': async () => (await import('#shared/copies/site.push.ts')).sitePushType.command,
  'staging.password': async () =>
    (await import('#shared/copies/staging.password.ts')).stagingPasswordType.command,
  'site.receive': async () =>
    (await import('#shared/moves/site.receive.ts')).siteReceiveType.command,
  'site.gather': async () => (await import('#shared/moves/site.gather.ts')).siteGatherType.command,
  'site.catch-up': async () =>
    (await import('#shared/moves/site.catch-up.ts')).siteCatchUpType.command,
  'site.switch': async () => (await import('#shared/moves/site.switch.ts')).siteSwitchType.command,
  'site.delete': async () => (await import('#shared/sites/site.delete.ts')).siteDeleteType.command,
  'site.domains': async () =>
    (await import('#shared/domains/site.domains.ts')).siteDomainsType.command,
  'site.rename': async () => (await import('#shared/copies/site.rename.ts')).siteRenameType.command,
  'site.rename-preview': async () =>
    (await import('#shared/copies/site.rename-preview.ts')).siteRenamePreviewType.command,
  'site.restore': async () =>
    (await import('#shared/sites/site.restore.ts')).siteRestoreType.command,
  'site.object-cache': async () =>
    (await import('#shared/object-cache/site.object-cache.ts')).siteObjectCacheType.command,
  'site.purge': async () => (await import('#shared/sites/site.purge.ts')).sitePurgeType.command,
  'site.update': async () => (await import('#shared/sites/site.update.ts')).siteUpdateType.command,
  'site.access': async () => (await import('#shared/access/site.access.ts')).siteAccessType.command,
  'site.configure': async () =>
    (await import('#shared/sites/site.configure.ts')).siteConfigureType.command,
  'site.jobs': async () => (await import('#shared/jobs/site.jobs.ts')).siteJobsType.command,
  'site.job-run': async () => (await import('#shared/jobs/site.job-run.ts')).siteJobRunType.command,
  'site.suspend': async () =>
    (await import('#shared/sites/site.suspend.ts')).siteSuspendType.command,
  'site.resume': async () => (await import('#shared/sites/site.resume.ts')).siteResumeType.command,
  'wp.scan': async () => (await import('#shared/wordpress/site.scan.ts')).siteScanType.command,
  'pool.apply': async () => (await import('#shared/sites/pool.apply.ts')).poolApplyType.command,
  'tls.issue': async () => (await import('#shared/domains/tls.issue.ts')).tlsIssueType.command,
  'cache.purge': async () => (await import('#shared/web/cache.purge.ts')).cachePurgeType.command,
  'wp.cache-flush': async () =>
    (await import('#shared/wordpress/wp.cache-flush.ts')).wpCacheFlushType.command,
  'wp.cron-run': async () =>
    (await import('#shared/wordpress/wp.cron-run.ts')).wpCronRunType.command,
  'wp.debug': async () => (await import('#shared/sites/wp.debug.ts')).wpDebugType.command,
  'wp.login': async () => (await import('#shared/wordpress/wp.login.ts')).wpLoginType.command,
}

const names = Object.keys as (table: Loaders) => CommandName[]

export const COMMAND_NAMES = names(LOADERS)

export const contractOf = <N extends CommandName>(name: N): Promise<Commands[N]> => LOADERS[name]()

/** Returns whether it is a command; `Object.hasOwn` excludes `__proto__` and the like. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(LOADERS, name)
}
