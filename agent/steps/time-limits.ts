import type { CommandName } from '#shared/commands.ts'

/** What an operation may take of a server. */
export interface Limits {
  /** From its turn to its end: then it is ended like by a forced cancel. */
  wall_ms: number
  /** Without a line; then one says so. */
  stall_ms: number
  /** Of all of its log lines, in bytes and in number: what comes after them is left out. */
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

/** Where the usual ones do not fit: what may install packages takes longer. */
const OWN: { [N in CommandName]?: Partial<Limits> } = {
  'agent.upgrade': { wall_ms: 20 * MINUTE },
  'cache.purge': { wall_ms: 10 * MINUTE },
  'isolation.check': { wall_ms: 20 * MINUTE },
  'mail.apply': { wall_ms: 10 * MINUTE },
  'mail.check': { wall_ms: 10 * MINUTE },
  'pool.apply': { wall_ms: 10 * MINUTE },
  'server.provision': { wall_ms: 60 * MINUTE },
  'server.update': { wall_ms: 60 * MINUTE, stall_ms: 10 * MINUTE },
  'service.restart': { wall_ms: 10 * MINUTE },
  'site.create': { wall_ms: 60 * MINUTE },
  'site.update': { wall_ms: 60 * MINUTE },
  'tls.issue': { wall_ms: 15 * MINUTE },
  'wp.scan': { wall_ms: 10 * MINUTE },
}

export const limitsOf = (name: CommandName): Limits => ({ ...USUAL, ...OWN[name] })
