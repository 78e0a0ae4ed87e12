import type { z } from 'zod'
import type { Bulk, OperationSpec, SiteAction } from '#shared/operation-type.ts'
import type { TokenScope } from '#shared/values.ts'
import { agentUpgradeType } from './agent.upgrade.ts'
import { backupCheckType } from './backup.check.ts'
import { backupCreateType } from './backup.create.ts'
import { backupProveType } from './backup.prove.ts'
import { backupRestoreType } from './backup.restore.ts'
import { backupUndoType } from './backup.undo.ts'
import { cachePurgeType } from './cache.purge.ts'
import { databaseImportType } from './database.import.ts'
import { databaseMaintainType } from './database.maintain.ts'
import { databaseToolType } from './database.tool.ts'
import { databaseUserType } from './database.user.ts'
import { databaseUserEndType } from './database.user-end.ts'
import { isolationCheckType } from './isolation.check.ts'
import { mailApplyType } from './mail.apply.ts'
import { mailCheckType } from './mail.check.ts'
import { poolApplyType } from './pool.apply.ts'
import { serverProvisionType } from './server.provision.ts'
import { serverSyncType } from './server.sync.ts'
import { serverUpdateType } from './server.update.ts'
import { serviceRestartType } from './service.restart.ts'
import { siteAccessType } from './site.access.ts'
import { siteCatchUpType } from './site.catch-up.ts'
import { siteCloneType } from './site.clone.ts'
import { siteCompareType } from './site.compare.ts'
import { siteConfigureType } from './site.configure.ts'
import { siteCreateType } from './site.create.ts'
import { siteDeleteType } from './site.delete.ts'
import { siteDomainsType } from './site.domains.ts'
import { siteGatherType } from './site.gather.ts'
import { siteJobRunType } from './site.job-run.ts'
import { siteJobsType } from './site.jobs.ts'
import { siteMoveType } from './site.move.ts'
import { siteMoveBackType } from './site.move-back.ts'
import { siteMoveConfirmType } from './site.move-confirm.ts'
import { siteObjectCacheType } from './site.object-cache.ts'
import { sitePurgeType } from './site.purge.ts'
import { sitePushType } from './site.push.ts'
import { siteReceiveType } from './site.receive.ts'
import { siteRecoverType } from './site.recover.ts'
import { siteRefreshType } from './site.refresh.ts'
import { siteRenameType } from './site.rename.ts'
import { siteRenamePreviewType } from './site.rename-preview.ts'
import { siteRestoreType } from './site.restore.ts'
import { siteResumeType } from './site.resume.ts'
import { siteScanType } from './site.scan.ts'
import { siteSuspendType } from './site.suspend.ts'
import { siteSwitchType } from './site.switch.ts'
import { siteUpdateType } from './site.update.ts'
import { stagingPasswordType } from './staging.password.ts'
import { tlsIssueType } from './tls.issue.ts'
import { updatesConfigureType } from './updates.configure.ts'
import { wpCacheFlushType } from './wp.cache-flush.ts'
import { wpCronRunType } from './wp.cron-run.ts'
import { wpDebugType } from './wp.debug.ts'
import { wpLoginType } from './wp.login.ts'

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

type Types = typeof OPERATION_TYPES
export type OperationType = keyof Types

type With<K extends OperationType, Part> = Types[K] extends Part ? K : never
type Each<Part> = { [K in OperationType]: With<K, Part> }[OperationType]
/** The types with bulk calls. */
export type BulkType = Each<{ bulk: Bulk<z.ZodType> }>
export type SiteBulkType = BulkType & Each<{ target: 'site' }>
export type ServerBulkType = BulkType & Each<{ target: 'server' }>
/** The types whose call needs nothing beside the site. */
export type SiteActionType = SiteBulkType & Each<{ action?: SiteAction }>
/** The types that the dashboard executes itself. */
export type OwnType = Each<{ command: null }>

/** The params of a call, and the result of an agent. */
export type InputOf<K extends OperationType> = z.output<Types[K]['params']>
export type ReportOf<K extends OperationType> = z.output<Types[K]['outcome']['result']>

const names = Object.keys as (table: Types) => [OperationType, ...OperationType[]]

export const OPERATION_NAMES = names(OPERATION_TYPES)
export const SITE_ACTIONS = OPERATION_NAMES.filter(isSiteAction)
export const BULK_NAMES = OPERATION_NAMES.filter(isBulk)

/** The description of the call of an action, as in the file of its type. */
export type ActionOf<K extends SiteActionType> = Exclude<Types[K]['action'], undefined>

export const actionOf = <K extends SiteActionType>(type: K): SiteAction =>
  OPERATION_TYPES[type].action as SiteAction

/** The right that a token needs to retry an operation of the type. */
export function retryRightOf(type: OperationType): TokenScope {
  const { retry_right, right } = OPERATION_TYPES[type]
  return retry_right ?? right
}

function isSiteAction(type: OperationType): type is SiteActionType {
  return OPERATION_TYPES[type].action != null
}

function isBulk(type: OperationType): type is BulkType {
  return OPERATION_TYPES[type].bulk !== null
}

export function isOwn(type: OperationType): type is OwnType {
  return OPERATION_TYPES[type].command === null
}
