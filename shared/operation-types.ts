import type { z } from 'zod'
import { siteAccessType } from '#shared/access/site.access.ts'
import { backupCheckType } from '#shared/backups/backup.check.ts'
import { backupCreateType } from '#shared/backups/backup.create.ts'
import { backupProveType } from '#shared/backups/backup.prove.ts'
import { backupRestoreType } from '#shared/backups/backup.restore.ts'
import { backupUndoType } from '#shared/backups/backup.undo.ts'
import { siteCloneType } from '#shared/copies/site.clone.ts'
import { siteCompareType } from '#shared/copies/site.compare.ts'
import { sitePushType } from '#shared/copies/site.push.ts'
import { siteRecoverType } from '#shared/copies/site.recover.ts'
import { siteRefreshType } from '#shared/copies/site.refresh.ts'
import { siteRenameType } from '#shared/copies/site.rename.ts'
import { siteRenamePreviewType } from '#shared/copies/site.rename-preview.ts'
import { stagingPasswordType } from '#shared/copies/staging.password.ts'
import { databaseImportType } from '#shared/database/database.import.ts'
import { databaseMaintainType } from '#shared/database/database.maintain.ts'
import { databaseToolType } from '#shared/database/database.tool.ts'
import { databaseUserType } from '#shared/database/database.user.ts'
import { databaseUserEndType } from '#shared/database/database.user-end.ts'
import { siteDomainsType } from '#shared/domains/site.domains.ts'
import { tlsIssueType } from '#shared/domains/tls.issue.ts'
import { isolationCheckType } from '#shared/isolation/isolation.check.ts'
import { siteJobRunType } from '#shared/jobs/site.job-run.ts'
import { siteJobsType } from '#shared/jobs/site.jobs.ts'
import type { Bulk, OperationSpec, SiteAction } from '#shared/kernel/operation-type.ts'
import type { Right } from '#shared/kernel/rights.ts'
import { mailApplyType } from '#shared/mail/mail.apply.ts'
import { mailCheckType } from '#shared/mail/mail.check.ts'
import { siteCatchUpType } from '#shared/moves/site.catch-up.ts'
import { siteGatherType } from '#shared/moves/site.gather.ts'
import { siteMoveType } from '#shared/moves/site.move.ts'
import { siteMoveBackType } from '#shared/moves/site.move-back.ts'
import { siteMoveConfirmType } from '#shared/moves/site.move-confirm.ts'
import { siteReceiveType } from '#shared/moves/site.receive.ts'
import { siteSwitchType } from '#shared/moves/site.switch.ts'
import { siteObjectCacheType } from '#shared/object-cache/site.object-cache.ts'
import { agentUpgradeType } from '#shared/servers/agent.upgrade.ts'
import { serverProvisionType } from '#shared/servers/server.provision.ts'
import { serverSyncType } from '#shared/servers/server.sync.ts'
import { serviceRestartType } from '#shared/servers/service.restart.ts'
import { poolApplyType } from '#shared/sites/pool.apply.ts'
import { siteConfigureType } from '#shared/sites/site.configure.ts'
import { siteCreateType } from '#shared/sites/site.create.ts'
import { siteDeleteType } from '#shared/sites/site.delete.ts'
import { sitePurgeType } from '#shared/sites/site.purge.ts'
import { siteRestoreType } from '#shared/sites/site.restore.ts'
import { siteResumeType } from '#shared/sites/site.resume.ts'
import { siteSuspendType } from '#shared/sites/site.suspend.ts'
import { siteUpdateType } from '#shared/sites/site.update.ts'
import { wpDebugType } from '#shared/sites/wp.debug.ts'
import { serverUpdateType } from '#shared/updates/server.update.ts'
import { updatesConfigureType } from '#shared/updates/updates.configure.ts'
import { cachePurgeType } from '#shared/web/cache.purge.ts'
import { siteScanType } from '#shared/wordpress/site.scan.ts'
import { wpCacheFlushType } from '#shared/wordpress/wp.cache-flush.ts'
import { wpCronRunType } from '#shared/wordpress/wp.cron-run.ts'
import { wpLoginType } from '#shared/wordpress/wp.login.ts'

/** Every type of operation, and so every command. */
export const OPERATION_TYPES = {
  'agent.upgrade': agentUpgradeType,
  'backup.check': backupCheckType,
  'backup.create': backupCreateType,
  'backup.prove': backupProveType,
  'backup.restore': backupRestoreType,
  'backup.undo': backupUndoType,
  'database.import': databaseImportType,
  'database.maintain': databaseMaintainType,
  'database.tool': databaseToolType,
  'database.user': databaseUserType,
  'database.user-end': databaseUserEndType,
  'isolation.check': isolationCheckType,
  'mail.apply': mailApplyType,
  'mail.check': mailCheckType,
  'server.provision': serverProvisionType,
  'server.sync': serverSyncType,
  'server.update': serverUpdateType,
  'updates.configure': updatesConfigureType,
  'service.restart': serviceRestartType,
  'site.create': siteCreateType,
  'site.clone': siteCloneType,
  'site.recover': siteRecoverType,
  'site.refresh': siteRefreshType,
  'site.compare': siteCompareType,
  'site.push': sitePushType,
  'staging.password': stagingPasswordType,
  'site.move': siteMoveType,
  'site.move-back': siteMoveBackType,
  'site.move-confirm': siteMoveConfirmType,
  'site.receive': siteReceiveType,
  'site.gather': siteGatherType,
  'site.catch-up': siteCatchUpType,
  'site.switch': siteSwitchType,
  'site.delete': siteDeleteType,
  'site.domains': siteDomainsType,
  'site.rename': siteRenameType,
  'site.rename-preview': siteRenamePreviewType,
  'site.restore': siteRestoreType,
  'site.object-cache': siteObjectCacheType,
  'site.purge': sitePurgeType,
  'site.update': siteUpdateType,
  'site.access': siteAccessType,
  'site.configure': siteConfigureType,
  'site.jobs': siteJobsType,
  'site.job-run': siteJobRunType,
  'site.suspend': siteSuspendType,
  'site.resume': siteResumeType,
  'site.scan': siteScanType,
  'pool.apply': poolApplyType,
  'tls.issue': tlsIssueType,
  'cache.purge': cachePurgeType,
  'wp.cache-flush': wpCacheFlushType,
  'wp.cron-run': wpCronRunType,
  'wp.debug': wpDebugType,
  'wp.login': wpLoginType,
} as const satisfies Readonly<Record<string, OperationSpec>>

type OperationTypes = typeof OPERATION_TYPES
export type OperationType = keyof OperationTypes

type TypeIfPart<K extends OperationType, Part> = OperationTypes[K] extends Part ? K : never
type TypesWith<Part> = { [K in OperationType]: TypeIfPart<K, Part> }[OperationType]
/** The types with bulk calls. */
export type BulkType = TypesWith<{ bulk: Bulk<z.ZodType> }>
export type SiteBulkType = BulkType & TypesWith<{ target: 'site' }>
export type ServerBulkType = BulkType & TypesWith<{ target: 'server' }>
/** The types whose call needs nothing beside the site. */
export type SiteActionType = SiteBulkType & TypesWith<{ action?: SiteAction }>
/** The types that the dashboard executes itself. */
export type DashboardType = TypesWith<{ command: null }>

/** The params of a call, and the result of an agent. */
export type InputOf<K extends OperationType> = z.output<OperationTypes[K]['params']>
export type ReportOf<K extends OperationType> = z.output<OperationTypes[K]['outcome']['result']>

const names = Object.keys as (table: OperationTypes) => [OperationType, ...OperationType[]]

export const OPERATION_NAMES = names(OPERATION_TYPES)
export const SITE_ACTIONS = OPERATION_NAMES.filter(isSiteAction)
export const BULK_NAMES = OPERATION_NAMES.filter(isBulk)

/** The description of the call of an action, as in the file of its type. */
export type ActionOf<K extends SiteActionType> = Exclude<OperationTypes[K]['action'], undefined>

export const actionOf = <K extends SiteActionType>(type: K): SiteAction =>
  OPERATION_TYPES[type].action as SiteAction

/** The right that a caller needs to retry an operation of the type. */
export function retryRightOf(type: OperationType): Right {
  const { retry_right, right } = OPERATION_TYPES[type]
  return retry_right ?? right
}

function isSiteAction(type: OperationType): type is SiteActionType {
  return OPERATION_TYPES[type].action != null
}

function isBulk(type: OperationType): type is BulkType {
  return OPERATION_TYPES[type].bulk !== null
}

export function isDashboardType(type: OperationType): type is DashboardType {
  return OPERATION_TYPES[type].command === null
}
