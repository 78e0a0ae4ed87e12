import type { CommandName, Commands } from './commands.ts'

type Loaders = { readonly [N in CommandName]: () => Promise<Commands[N]> }

/** The schemas of a command are built when it is first used: an agent uses few of them. */
const LOADERS: Loaders = {
  'agent.upgrade': async () =>
    (await import('./operation-types/agent.upgrade.ts')).agentUpgradeType.command,
  'backup.check': async () =>
    (await import('./operation-types/backup.check.ts')).backupCheckType.command,
  'backup.create': async () =>
    (await import('./operation-types/backup.create.ts')).backupCreateType.command,
  'backup.prove': async () =>
    (await import('./operation-types/backup.prove.ts')).backupProveType.command,
  'backup.restore': async () =>
    (await import('./operation-types/backup.restore.ts')).backupRestoreType.command,
  'backup.undo': async () =>
    (await import('./operation-types/backup.undo.ts')).backupUndoType.command,
  'database.import': async () =>
    (await import('./operation-types/database.import.ts')).databaseImportType.command,
  'database.maintain': async () =>
    (await import('./operation-types/database.maintain.ts')).databaseMaintainType.command,
  'database.tool': async () =>
    (await import('./operation-types/database.tool.ts')).databaseToolType.command,
  'database.user': async () =>
    (await import('./operation-types/database.user.ts')).databaseUserType.command,
  'database.user-end': async () =>
    (await import('./operation-types/database.user-end.ts')).databaseUserEndType.command,
  'isolation.check': async () =>
    (await import('./operation-types/isolation.check.ts')).isolationCheckType.command,
  'mail.apply': async () => (await import('./operation-types/mail.apply.ts')).mailApplyType.command,
  'mail.check': async () => (await import('./operation-types/mail.check.ts')).mailCheckType.command,
  'server.provision': async () =>
    (await import('./operation-types/server.provision.ts')).serverProvisionType.command,
  'server.update': async () =>
    (await import('./operation-types/server.update.ts')).serverUpdateType.command,
  'updates.configure': async () =>
    (await import('./operation-types/updates.configure.ts')).updatesConfigureType.command,
  'service.restart': async () =>
    (await import('./operation-types/service.restart.ts')).serviceRestartType.command,
  'site.create': async () =>
    (await import('./operation-types/site.create.ts')).siteCreateType.command,
  'site.clone': async () => (await import('./operation-types/site.clone.ts')).siteCloneType.command,
  'site.refresh': async () =>
    (await import('./operation-types/site.refresh.ts')).siteRefreshType.command,
  'site.compare': async () =>
    (await import('./operation-types/site.compare.ts')).siteCompareType.command,
  'site.push': async () => (await import('./operation-types/site.push.ts')).sitePushType.command,
  'staging.password': async () =>
    (await import('./operation-types/staging.password.ts')).stagingPasswordType.command,
  'site.receive': async () =>
    (await import('./operation-types/site.receive.ts')).siteReceiveType.command,
  'site.gather': async () =>
    (await import('./operation-types/site.gather.ts')).siteGatherType.command,
  'site.catch-up': async () =>
    (await import('./operation-types/site.catch-up.ts')).siteCatchUpType.command,
  'site.switch': async () =>
    (await import('./operation-types/site.switch.ts')).siteSwitchType.command,
  'site.delete': async () =>
    (await import('./operation-types/site.delete.ts')).siteDeleteType.command,
  'site.domains': async () =>
    (await import('./operation-types/site.domains.ts')).siteDomainsType.command,
  'site.rename': async () =>
    (await import('./operation-types/site.rename.ts')).siteRenameType.command,
  'site.rename-preview': async () =>
    (await import('./operation-types/site.rename-preview.ts')).siteRenamePreviewType.command,
  'site.restore': async () =>
    (await import('./operation-types/site.restore.ts')).siteRestoreType.command,
  'site.object-cache': async () =>
    (await import('./operation-types/site.object-cache.ts')).siteObjectCacheType.command,
  'site.purge': async () => (await import('./operation-types/site.purge.ts')).sitePurgeType.command,
  'site.update': async () =>
    (await import('./operation-types/site.update.ts')).siteUpdateType.command,
  'site.access': async () =>
    (await import('./operation-types/site.access.ts')).siteAccessType.command,
  'site.configure': async () =>
    (await import('./operation-types/site.configure.ts')).siteConfigureType.command,
  'site.jobs': async () => (await import('./operation-types/site.jobs.ts')).siteJobsType.command,
  'site.job-run': async () =>
    (await import('./operation-types/site.job-run.ts')).siteJobRunType.command,
  'site.suspend': async () =>
    (await import('./operation-types/site.suspend.ts')).siteSuspendType.command,
  'site.resume': async () =>
    (await import('./operation-types/site.resume.ts')).siteResumeType.command,
  'wp.scan': async () => (await import('./operation-types/site.scan.ts')).siteScanType.command,
  'pool.apply': async () => (await import('./operation-types/pool.apply.ts')).poolApplyType.command,
  'tls.issue': async () => (await import('./operation-types/tls.issue.ts')).tlsIssueType.command,
  'cache.purge': async () =>
    (await import('./operation-types/cache.purge.ts')).cachePurgeType.command,
  'wp.cache-flush': async () =>
    (await import('./operation-types/wp.cache-flush.ts')).wpCacheFlushType.command,
  'wp.cron-run': async () =>
    (await import('./operation-types/wp.cron-run.ts')).wpCronRunType.command,
  'wp.debug': async () => (await import('./operation-types/wp.debug.ts')).wpDebugType.command,
  'wp.login': async () => (await import('./operation-types/wp.login.ts')).wpLoginType.command,
}

const names = Object.keys as (table: Loaders) => CommandName[]

export const COMMAND_NAMES = names(LOADERS)

export const contractOf = <N extends CommandName>(name: N): Promise<Commands[N]> => LOADERS[name]()

/** `Object.hasOwn`, so that `__proto__` and the like are unknown commands. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(LOADERS, name)
}
