import type { CommandName } from '#shared/commands.ts'

/** The limits of an operation. */
export interface Limits {
  /** The maximum time from its turn to its end: then it ends like a forced cancel. */
  wall_ms: number
  /** The maximum silence, which is then reported. */
  stall_ms: number
  /** The maximum of all log lines, in bytes and in number: later lines are dropped. */
  output_bytes: number
  events: number
}

const MINUTE = 60_000

const USUAL: Limits = {
  wall_ms: 30 * MINUTE,
  stall_ms: 5 * MINUTE,
  output_bytes: 4 << 20,
  events: 20_000,
}

/** Exceptions: commands that may install packages take longer. */
const OWN: { [N in CommandName]?: Partial<Limits> } = {
  'agent.upgrade': { wall_ms: 20 * MINUTE },
  'backup.check': { wall_ms: 10 * MINUTE },
  'backup.create': { wall_ms: 24 * 60 * MINUTE, stall_ms: 15 * MINUTE },
  'backup.prove': { wall_ms: 24 * 60 * MINUTE, stall_ms: 15 * MINUTE },
  'backup.restore': { wall_ms: 24 * 60 * MINUTE, stall_ms: 15 * MINUTE },
  'backup.undo': { wall_ms: 12 * 60 * MINUTE, stall_ms: 15 * MINUTE },
  'cache.purge': { wall_ms: 10 * MINUTE },
  'database.import': { wall_ms: 24 * 60 * MINUTE, stall_ms: 15 * MINUTE },
  'database.maintain': { wall_ms: 12 * 60 * MINUTE, stall_ms: 60 * MINUTE },
  'database.tool': { wall_ms: 30 * MINUTE },
  'database.user': { wall_ms: 10 * MINUTE },
  'database.user-end': { wall_ms: 10 * MINUTE },
  'isolation.check': { wall_ms: 20 * MINUTE },
  'mail.apply': { wall_ms: 10 * MINUTE },
  'mail.check': { wall_ms: 10 * MINUTE },
  'pool.apply': { wall_ms: 10 * MINUTE },
  'server.provision': { wall_ms: 60 * MINUTE },
  'server.update': { wall_ms: 60 * MINUTE, stall_ms: 10 * MINUTE },
  'service.restart': { wall_ms: 10 * MINUTE },
  'site.catch-up': { wall_ms: 12 * 60 * MINUTE, stall_ms: 15 * MINUTE },
  'site.clone': { wall_ms: 24 * 60 * MINUTE, stall_ms: 15 * MINUTE },
  'site.compare': { wall_ms: 6 * 60 * MINUTE, stall_ms: 30 * MINUTE },
  'site.create': { wall_ms: 60 * MINUTE },
  'site.gather': { wall_ms: 12 * 60 * MINUTE, stall_ms: 15 * MINUTE },
  'site.job-run': { wall_ms: 24 * 60 * MINUTE, stall_ms: 12 * 60 * MINUTE },
  'site.object-cache': { wall_ms: 60 * MINUTE },
  'site.push': { wall_ms: 24 * 60 * MINUTE, stall_ms: 30 * MINUTE },
  'site.receive': { wall_ms: 24 * 60 * MINUTE, stall_ms: 15 * MINUTE },
  'site.refresh': { wall_ms: 24 * 60 * MINUTE, stall_ms: 30 * MINUTE },
  'site.rename': { wall_ms: 24 * 60 * MINUTE, stall_ms: 30 * MINUTE },
  'site.rename-preview': { wall_ms: 6 * 60 * MINUTE, stall_ms: 30 * MINUTE },
  'site.switch': { wall_ms: 10 * MINUTE },
  'site.update': { wall_ms: 60 * MINUTE },
  'tls.issue': { wall_ms: 15 * MINUTE },
  'wp.debug': { wall_ms: 10 * MINUTE },
  'wp.scan': { wall_ms: 10 * MINUTE },
}

export const limitsOf = (name: CommandName): Limits => ({ ...USUAL, ...OWN[name] })
