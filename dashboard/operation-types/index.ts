import type { RulesTable } from '#dashboard/operations/rules.ts'
import { agentUpgrade } from './agent.upgrade.ts'
import { backupCheck } from './backup.check.ts'
import { backupCreate } from './backup.create.ts'
import { backupProve } from './backup.prove.ts'
import { backupRestore } from './backup.restore.ts'
import { backupUndo } from './backup.undo.ts'
import { cachePurge } from './cache.purge.ts'
import { databaseImport } from './database.import.ts'
import { databaseMaintain } from './database.maintain.ts'
import { databaseTool } from './database.tool.ts'
import { databaseUser } from './database.user.ts'
import { databaseUserEnd } from './database.user-end.ts'
import { isolationCheck } from './isolation.check.ts'
import { mailApply } from './mail.apply.ts'
import { mailCheck } from './mail.check.ts'
import { poolApply } from './pool.apply.ts'
import { serverProvision } from './server.provision.ts'
import { serverSync } from './server.sync.ts'
import { serverUpdate } from './server.update.ts'
import { serviceRestart } from './service.restart.ts'
import { siteAccess } from './site.access.ts'
import { siteCatchUp } from './site.catch-up.ts'
import { siteClone } from './site.clone.ts'
import { siteCompare } from './site.compare.ts'
import { siteConfigure } from './site.configure.ts'
import { siteCreate } from './site.create.ts'
import { siteDelete } from './site.delete.ts'
import { siteDomains } from './site.domains.ts'
import { siteGather } from './site.gather.ts'
import { siteJobRun } from './site.job-run.ts'
import { siteJobs } from './site.jobs.ts'
import { siteMove } from './site.move.ts'
import { siteMoveBack } from './site.move-back.ts'
import { siteMoveConfirm } from './site.move-confirm.ts'
import { siteObjectCache } from './site.object-cache.ts'
import { sitePurge } from './site.purge.ts'
import { sitePush } from './site.push.ts'
import { siteReceive } from './site.receive.ts'
import { siteRecover } from './site.recover.ts'
import { siteRefresh } from './site.refresh.ts'
import { siteRename } from './site.rename.ts'
import { siteRenamePreview } from './site.rename-preview.ts'
import { siteRestore } from './site.restore.ts'
import { siteResume } from './site.resume.ts'
import { siteScan } from './site.scan.ts'
import { siteSuspend } from './site.suspend.ts'
import { siteSwitch } from './site.switch.ts'
import { siteUpdate } from './site.update.ts'
import { stagingPassword } from './staging.password.ts'
import { tlsIssue } from './tls.issue.ts'
import { updatesConfigure } from './updates.configure.ts'
import { wpCacheFlush } from './wp.cache-flush.ts'
import { wpCronRun } from './wp.cron-run.ts'
import { wpDebug } from './wp.debug.ts'
import { wpLogin } from './wp.login.ts'

/** The effects of every type of operation on the records. */
export const RULES: RulesTable = {
  'agent.upgrade': agentUpgrade,
  'backup.check': backupCheck,
  'backup.create': backupCreate,
  'backup.prove': backupProve,
  'backup.restore': backupRestore,
  'backup.undo': backupUndo,
  'database.import': databaseImport,
  'database.maintain': databaseMaintain,
  'database.tool': databaseTool,
  'database.user': databaseUser,
  'database.user-end': databaseUserEnd,
  'isolation.check': isolationCheck,
  'mail.apply': mailApply,
  'mail.check': mailCheck,
  'server.provision': serverProvision,
  'server.sync': serverSync,
  'server.update': serverUpdate,
  'updates.configure': updatesConfigure,
  'wp.cache-flush': wpCacheFlush,
  'wp.debug': wpDebug,
  'wp.login': wpLogin,
  'service.restart': serviceRestart,
  'site.create': siteCreate,
  'site.clone': siteClone,
  'site.recover': siteRecover,
  'site.refresh': siteRefresh,
  'site.compare': siteCompare,
  'site.push': sitePush,
  'staging.password': stagingPassword,
  'site.move': siteMove,
  'site.move-back': siteMoveBack,
  'site.move-confirm': siteMoveConfirm,
  'site.receive': siteReceive,
  'site.gather': siteGather,
  'site.catch-up': siteCatchUp,
  'site.switch': siteSwitch,
  'site.delete': siteDelete,
  'site.domains': siteDomains,
  'site.rename': siteRename,
  'site.rename-preview': siteRenamePreview,
  'site.restore': siteRestore,
  'site.object-cache': siteObjectCache,
  'site.purge': sitePurge,
  'site.update': siteUpdate,
  'site.access': siteAccess,
  'site.configure': siteConfigure,
  'site.jobs': siteJobs,
  'site.job-run': siteJobRun,
  'wp.cron-run': wpCronRun,
  'site.suspend': siteSuspend,
  'site.resume': siteResume,
  'site.scan': siteScan,
  'pool.apply': poolApply,
  'tls.issue': tlsIssue,
  'cache.purge': cachePurge,
}
