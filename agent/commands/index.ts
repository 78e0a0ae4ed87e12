import type { CommandTable } from '#agent/steps/command.ts'
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
import { serverUpdate } from './server.update.ts'
import { serviceRestart } from './service.restart.ts'
import { siteCreate } from './site.create.ts'
import { siteDelete } from './site.delete.ts'
import { sitePurge } from './site.purge.ts'
import { siteRestore } from './site.restore.ts'
import { siteUpdate } from './site.update.ts'
import { tlsIssue } from './tls.issue.ts'
import { updatesConfigure } from './updates.configure.ts'
import { wpCacheFlush } from './wp.cache-flush.ts'
import { wpScan } from './wp.scan.ts'

export const commands: CommandTable = {
  'agent.upgrade': agentUpgrade,
  'backup.check': backupCheck,
  'backup.create': backupCreate,
  'backup.restore': backupRestore,
  'backup.undo': backupUndo,
  'cache.purge': cachePurge,
  'isolation.check': isolationCheck,
  'mail.apply': mailApply,
  'mail.check': mailCheck,
  'pool.apply': poolApply,
  'server.provision': serverProvision,
  'server.update': serverUpdate,
  'service.restart': serviceRestart,
  'site.create': siteCreate,
  'site.delete': siteDelete,
  'site.purge': sitePurge,
  'site.restore': siteRestore,
  'site.update': siteUpdate,
  'tls.issue': tlsIssue,
  'updates.configure': updatesConfigure,
  'wp.cache-flush': wpCacheFlush,
  'wp.scan': wpScan,
}
