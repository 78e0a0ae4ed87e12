import type { Attack, InsideAttack, SceneAttack } from '#agent/features/isolation/attack.ts'
import { ADMINER_ATTACKS } from './adminer.ts'
import { ARCHIVE_ATTACKS } from './archives.ts'
import { CLIENT_ATTACKS } from './clients.ts'
import { DATABASE_USER_ATTACKS } from './database-users.ts'
import { FILE_ATTACKS } from './files.ts'
import { JOB_ATTACKS } from './jobs.ts'
import { LOGIN_ATTACKS } from './logins.ts'
import { LOG_ATTACKS } from './logs.ts'
import { NAME_ATTACKS } from './names.ts'
import { NGINX_ATTACKS } from './nginx.ts'
import { PEOPLE_ATTACKS } from './people.ts'
import { PROCESS_ATTACKS } from './processes.ts'
import { RESTORE_ATTACKS } from './restore.ts'
import { RIGHT_ATTACKS } from './rights.ts'
import { SCAN_ATTACKS } from './scan.ts'
import { SOCKET_ATTACKS } from './sockets.ts'
import { SQL_ATTACKS } from './sql.ts'
import { SSH_ATTACKS } from './ssh.ts'
import { PORT_ATTACKS, SYSTEM_ATTACKS } from './system.ts'
import { VISITOR_ATTACKS } from './visitors.ts'

/** All attacks of an isolation check in order: those that may break the attacker come last. */
export const ATTACKS = {
  ...FILE_ATTACKS,
  ...PROCESS_ATTACKS,
  ...NAME_ATTACKS,
  ...SOCKET_ATTACKS,
  ...SYSTEM_ATTACKS,
  ...SSH_ATTACKS,
  ...LOGIN_ATTACKS,
  ...LOG_ATTACKS,
  ...SQL_ATTACKS,
  ...CLIENT_ATTACKS,
  ...PEOPLE_ATTACKS,
  ...DATABASE_USER_ATTACKS,
  ...ADMINER_ATTACKS,
  ...NGINX_ATTACKS,
  ...VISITOR_ATTACKS,
  ...PORT_ATTACKS,
  ...RIGHT_ATTACKS,
  ...JOB_ATTACKS,
  ...SCAN_ATTACKS,
  ...RESTORE_ATTACKS,
  ...ARCHIVE_ATTACKS,
} as const satisfies Record<string, Attack>

type AttackId = keyof typeof ATTACKS

const entries = Object.entries(ATTACKS) as [AttackId, Attack][]

/** The attacks inside the attacker, all of them in one run per context. */
export const INSIDE_ATTACKS: ReadonlyMap<string, InsideAttack> = new Map(
  entries.flatMap(([id, one]): [string, InsideAttack][] => ('code' in one ? [[id, one]] : [])),
)

export const SCENE_ATTACKS: ReadonlyMap<string, SceneAttack> = new Map(
  entries.flatMap(([id, one]): [string, SceneAttack][] => ('attempt' in one ? [[id, one]] : [])),
)
