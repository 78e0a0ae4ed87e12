import type { RulesTable } from '#dashboard/operations/rules.ts'
import { agentUpgrade } from './agent.upgrade.ts'
import { backupCheck } from './backup.check.ts'
import { backupCreate } from './backup.create.ts'
import { backupRestore } from './backup.restore.ts'
import { backupUndo } from './backup.undo.ts'
import { cachePurge } from './cache.purge.ts'
import { isolationCheck } from './isolation.check.ts'
import { mailApply } from './mail.apply.ts'
import { mailCheck } from './mail.check.ts'
import { poolApply } from './pool.apply.ts'
import { serverProvision } from './server.provision.ts'
import { serverSync } from './server.sync.ts'
import { serverUpdate } from './server.update.ts'
import { serviceRestart } from './service.restart.ts'
import { siteCreate } from './site.create.ts'
import { siteDelete } from './site.delete.ts'
import { sitePurge } from './site.purge.ts'
import { siteRestore } from './site.restore.ts'
import { siteScan } from './site.scan.ts'
import { siteUpdate } from './site.update.ts'
import { tlsIssue } from './tls.issue.ts'
import { updatesConfigure } from './updates.configure.ts'
import { wpCacheFlush } from './wp.cache-flush.ts'

/** The effects of every type of operation on the records. */
export const RULES: RulesTable = {
  'agent.upgrade': agentUpgrade,
  'backup.check': backupCheck,
  'backup.create': backupCreate,
  'backup.restore': backupRestore,
  'backup.undo': backupUndo,
  'isolation.check': isolationCheck,
  'mail.apply': mailApply,
  'mail.check': mailCheck,
  'server.provision': serverProvision,
  'server.sync': serverSync,
  'server.update': serverUpdate,
  'updates.configure': updatesConfigure,
  'wp.cache-flush': wpCacheFlush,
  'service.restart': serviceRestart,
  'site.create': siteCreate,
  'site.delete': siteDelete,
  'site.restore': siteRestore,
  'site.purge': sitePurge,
  'site.update': siteUpdate,
  'site.scan': siteScan,
  'pool.apply': poolApply,
  'tls.issue': tlsIssue,
  'cache.purge': cachePurge,
}
