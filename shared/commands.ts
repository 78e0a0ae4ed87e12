import type { z } from 'zod'
import { agentUpgrade } from './commands/agent.upgrade.ts'
import { cachePurge } from './commands/cache.purge.ts'
import { isolationCheck } from './commands/isolation.check.ts'
import { mailApply } from './commands/mail.apply.ts'
import { mailCheck } from './commands/mail.check.ts'
import { poolApply } from './commands/pool.apply.ts'
import { serverProvision } from './commands/server.provision.ts'
import { serverUpdate } from './commands/server.update.ts'
import { serviceRestart } from './commands/service.restart.ts'
import { siteCreate } from './commands/site.create.ts'
import { siteDelete } from './commands/site.delete.ts'
import { sitePurge } from './commands/site.purge.ts'
import { siteRestore } from './commands/site.restore.ts'
import { siteUpdate } from './commands/site.update.ts'
import { tlsIssue } from './commands/tls.issue.ts'
import { updatesConfigure } from './commands/updates.configure.ts'
import { wpScan } from './commands/wp.scan.ts'

/** Every command that an agent knows, by its name on the wire. */
export const COMMANDS = {
  'agent.upgrade': agentUpgrade,
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
  'wp.scan': wpScan,
} as const

type Commands = typeof COMMANDS
export type CommandName = keyof Commands
export type ParamsOf<N extends CommandName> = z.output<Commands[N]['params']>
export type ResultOf<N extends CommandName> = z.output<Commands[N]['result']>

/** `Object.hasOwn`, so that `__proto__` and its like are unknown commands. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name)
}
