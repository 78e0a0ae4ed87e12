import { siteAccess } from '#dashboard/features/access/site.access.ts'
import { backupCheck } from '#dashboard/features/backups/backup.check.ts'
import { backupCreate } from '#dashboard/features/backups/backup.create.ts'
import { backupProve } from '#dashboard/features/backups/backup.prove.ts'
import { backupRestore } from '#dashboard/features/backups/backup.restore.ts'
import { backupUndo } from '#dashboard/features/backups/backup.undo.ts'
import {
  bulkServers,
  domainOf,
  serverCall,
  siteCall,
} from '#dashboard/features/backups/rule-parts.ts'
import { siteClone } from '#dashboard/features/copies/site.clone.ts'
import { siteCompare } from '#dashboard/features/copies/site.compare.ts'
import { sitePush } from '#dashboard/features/copies/site.push.ts'
import { siteRefresh } from '#dashboard/features/copies/site.refresh.ts'
import { siteRename } from '#dashboard/features/copies/site.rename.ts'
import { siteRenamePreview } from '#dashboard/features/copies/site.rename-preview.ts'
import { stagingPassword } from '#dashboard/features/copies/staging.password.ts'
import { databaseImport } from '#dashboard/features/database/database.import.ts'
import { databaseMaintain } from '#dashboard/features/database/database.maintain.ts'
import { databaseTool } from '#dashboard/features/database/database.tool.ts'
import { databaseUser } from '#dashboard/features/database/database.user.ts'
import { databaseUserEnd } from '#dashboard/features/database/database.user-end.ts'
import { siteDomains } from '#dashboard/features/domains/site.domains.ts'
import { tlsIssue } from '#dashboard/features/domains/tls.issue.ts'
import { isolationCheck } from '#dashboard/features/isolation/isolation.check.ts'
import { mailApply } from '#dashboard/features/mail/mail.apply.ts'
import { mailCheck } from '#dashboard/features/mail/mail.check.ts'
import { siteCatchUp } from '#dashboard/features/moves/site.catch-up.ts'
import { siteGather } from '#dashboard/features/moves/site.gather.ts'
import { siteMove } from '#dashboard/features/moves/site.move.ts'
import { siteMoveBack } from '#dashboard/features/moves/site.move-back.ts'
import { siteMoveConfirm } from '#dashboard/features/moves/site.move-confirm.ts'
import { siteReceive } from '#dashboard/features/moves/site.receive.ts'
import { siteSwitch } from '#dashboard/features/moves/site.switch.ts'
import { siteObjectCache } from '#dashboard/features/object-cache/site.object-cache.ts'
import { siteRecover } from '#dashboard/features/recovery/site.recover.ts'
import { agentUpgrade } from '#dashboard/features/servers/agent.upgrade.ts'
import { serverProvision } from '#dashboard/features/servers/server.provision.ts'
import { serverSync } from '#dashboard/features/servers/server.sync.ts'
import { poolApply } from '#dashboard/features/sites/pool.apply.ts'
import { siteConfigure } from '#dashboard/features/sites/site.configure.ts'
import { siteCreate } from '#dashboard/features/sites/site.create.ts'
import { siteDelete } from '#dashboard/features/sites/site.delete.ts'
import { sitePurge } from '#dashboard/features/sites/site.purge.ts'
import { siteRestore } from '#dashboard/features/sites/site.restore.ts'
import { siteResume } from '#dashboard/features/sites/site.resume.ts'
import { siteSuspend } from '#dashboard/features/sites/site.suspend.ts'
import { siteUpdate } from '#dashboard/features/sites/site.update.ts'
import { wpDebug } from '#dashboard/features/sites/wp.debug.ts'
import { serverUpdate } from '#dashboard/features/updates/server.update.ts'
import { cachePurge } from '#dashboard/features/web/cache.purge.ts'
import { siteScan } from '#dashboard/features/wordpress/site.scan.ts'
import { wpCacheFlush } from '#dashboard/features/wordpress/wp.cache-flush.ts'
import { wpLogin } from '#dashboard/features/wordpress/wp.login.ts'
import { NO_CHANGE, type OperationTarget, type RulesTable } from '#dashboard/kernel/engine/rules.ts'
import type { OperationSpec, Unrecorded } from '#shared/kernel/operation-type.ts'
import { OPERATION_NAMES, OPERATION_TYPES, type OperationType } from '#shared/operation-types.ts'

/** A type that changes no record, and has no rules of its own. */
type UnrecordedType = {
  [K in OperationType]: (typeof OPERATION_TYPES)[K] extends { unrecorded?: infer U }
    ? Unrecorded extends U
      ? never
      : U extends undefined
        ? never
        : K
    : never
}[OperationType]

const OWN_RULES: Omit<RulesTable, UnrecordedType> = {
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
  'wp.cache-flush': wpCacheFlush,
  'wp.debug': wpDebug,
  'wp.login': wpLogin,
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
  'site.suspend': siteSuspend,
  'site.resume': siteResume,
  'site.scan': siteScan,
  'pool.apply': poolApply,
  'tls.issue': tlsIssue,
  'cache.purge': cachePurge,
}

/** The rules of every type. */
export const RULES = {
  ...OWN_RULES,
  ...Object.fromEntries(
    OPERATION_NAMES.flatMap((type) => {
      const { unrecorded, bulk }: OperationSpec = OPERATION_TYPES[type]
      return unrecorded ? [[type, rulesWithoutRecords(unrecorded, bulk !== null)]] : []
    }),
  ),
} as RulesTable

function rulesWithoutRecords(unrecorded: Unrecorded, has_bulk: boolean): object {
  const succeeded = () => NO_CHANGE
  if (unrecorded === 'of a server')
    return { ...serverCall, succeeded, bulk: has_bulk ? bulkServers.bulk : null }
  const { states } = unrecorded
  return {
    ...siteCall,
    site: { states, found: false },
    params: (_: unknown, target: OperationTarget, input: object) => ({
      domain: domainOf(target),
      ...input,
    }),
    succeeded,
    bulk: has_bulk ? { states, managed_only: false, stores_origin: false } : null,
  }
}
