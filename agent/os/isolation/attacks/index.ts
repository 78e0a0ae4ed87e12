import type { Attack, InsideAttack, SceneAttack } from '#agent/os/isolation/attack.ts'
import { FILES } from './files.ts'
import { JOBS } from './jobs.ts'
import { NAMES } from './names.ts'
import { NGINX_ATTACKS } from './nginx.ts'
import { PROCESSES } from './processes.ts'
import { RESTORES } from './restore.ts'
import { RIGHTS } from './rights.ts'
import { SCANS } from './scan.ts'
import { SOCKETS } from './sockets.ts'
import { SQL_ATTACKS } from './sql.ts'

/**
 * Every attack of an isolation check, in the order in which they are tried and reported. Those that
 * may leave the attacker broken come last.
 */
export const ATTACKS = {
  ...FILES,
  ...PROCESSES,
  ...NAMES,
  ...SOCKETS,
  ...SQL_ATTACKS,
  ...NGINX_ATTACKS,
  ...RIGHTS,
  ...JOBS,
  ...SCANS,
  ...RESTORES,
} as const satisfies Record<string, Attack>

type AttackId = keyof typeof ATTACKS

const entries = Object.entries(ATTACKS) as [AttackId, Attack][]

/** Those that run inside the attacker, all of them in one go in each place. */
export const INSIDE: ReadonlyMap<string, InsideAttack> = new Map(
  entries.flatMap(([id, one]): [string, InsideAttack][] => ('code' in one ? [[id, one]] : [])),
)

/** Those that the agent or a visitor has a part in. */
export const OUTSIDE: ReadonlyMap<string, SceneAttack> = new Map(
  entries.flatMap(([id, one]): [string, SceneAttack][] => ('attempt' in one ? [[id, one]] : [])),
)
