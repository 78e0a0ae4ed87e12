import type { Attack, InsideAttack, SceneAttack } from '#agent/features/isolation/attack.ts'
import { ADMINER_ATTACKS } from './adminer.ts'
import { ARCHIVES } from './archives.ts'
import { CLIENTS } from './clients.ts'
import { DATABASE_USERS } from './database-users.ts'
import { FILES } from './files.ts'
import { JOBS } from './jobs.ts'
import { LOGINS } from './logins.ts'
import { LOGS } from './logs.ts'
import { NAMES } from './names.ts'
import { NGINX_ATTACKS } from './nginx.ts'
import { PEOPLE } from './people.ts'
import { PROCESSES } from './processes.ts'
import { RESTORES } from './restore.ts'
import { RIGHTS } from './rights.ts'
import { SCANS } from './scan.ts'
import { SOCKETS } from './sockets.ts'
import { SQL_ATTACKS } from './sql.ts'
import { SSH } from './ssh.ts'
import { PORTS, SYSTEM } from './system.ts'
import { VISITORS } from './visitors.ts'

/**
 * Every attack of an isolation check, in the order of attempts and reports. Attacks that may leave
 * the attacker broken come last.
 */
export const ATTACKS = {
  ...FILES,
  ...PROCESSES,
  ...NAMES,
  ...SOCKETS,
  ...SYSTEM,
  ...SSH,
  ...LOGINS,
  ...LOGS,
  ...SQL_ATTACKS,
  ...CLIENTS,
  ...PEOPLE,
  ...DATABASE_USERS,
  ...ADMINER_ATTACKS,
  ...NGINX_ATTACKS,
  ...VISITORS,
  ...PORTS,
  ...RIGHTS,
  ...JOBS,
  ...SCANS,
  ...RESTORES,
  ...ARCHIVES,
} as const satisfies Record<string, Attack>

type AttackId = keyof typeof ATTACKS

const entries = Object.entries(ATTACKS) as [AttackId, Attack][]

/** Attacks inside the attacker: all of them in one run per context. */
export const INSIDE: ReadonlyMap<string, InsideAttack> = new Map(
  entries.flatMap(([id, one]): [string, InsideAttack][] => ('code' in one ? [[id, one]] : [])),
)

/** Attacks in which the agent or a visitor takes part. */
export const OUTSIDE: ReadonlyMap<string, SceneAttack> = new Map(
  entries.flatMap(([id, one]): [string, SceneAttack][] => ('attempt' in one ? [[id, one]] : [])),
)
