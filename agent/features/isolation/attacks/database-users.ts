import { createHash } from 'node:crypto'
import { failed, refused, type SceneAttack, succeeded } from '#agent/features/isolation/attack.ts'
import { clientOf, tryAsOwner } from '#agent/kernel/database/as-owner.ts'
import {
  createTemporary,
  endTemporary,
  findTemporary,
} from '#agent/kernel/database/temporary-accounts.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'

const LIMIT_MS = 30_000
/** The mark that is printed only if the statements before it succeeded. */
const DONE = 'isolation_done'

interface LoginAttempt {
  /** The meaning of a success, after "it". */
  did: string
  /** The login of the attacker's client. */
  as: string
  database: string
  statement: string
}

/** Attacks with temporary users of a database. */
export const DATABASE_USER_ATTACKS = {
  'sql.temporary-user': {
    severity: 'critical',
    title: 'Use or change the temporary user of a neighbour’s database',
    meaning: 'The site gets the access that somebody has to the database of its neighbour.',
    /** Creates a user whose password nobody has, for at most a minute. */
    async attempt({ host, attacker, neighbour }) {
      const token = host.random.name(10)
      const account = { token, rights: 'write', seconds: 60, password_hash: hashOf(host) } as const
      await createTemporary(host, neighbour, account)
      const made = await findTemporary(host, token)
      if (!made) return failed('no temporary user was created')
      try {
        const did: string[] = []
        for (const attempt of attemptsOf(attacker, neighbour, made.user)) {
          if (await succeeds(host, attacker, attempt)) did.push(attempt.did)
        }
        return did.length > 0 ? succeeded(`it ${did.join(', ')}`) : refused()
      } finally {
        await endTemporary(host.steady ?? host, made.user)
      }
    },
  },
} as const satisfies Record<string, SceneAttack>

function attemptsOf(attacker: Site, neighbour: Site, user: string): LoginAttempt[] {
  const account = `'${user}'@'localhost'`
  const own = { as: attacker.user, database: attacker.user }
  return [
    { did: 'logged in', as: user, database: neighbour.user, statement: 'SELECT 1' },
    { ...own, did: 'read its rights', statement: `SHOW GRANTS FOR ${account}` },
    { ...own, did: 'set its password', statement: `SET PASSWORD FOR ${account} = PASSWORD('a')` },
    { ...own, did: 'unlocked it', statement: `ALTER USER ${account} ACCOUNT UNLOCK` },
    { ...own, did: 'removed it', statement: `DROP USER ${account}` },
  ]
}

async function succeeds(
  host: Host,
  { user }: Site,
  { as, database, statement }: LoginAttempt,
): Promise<boolean> {
  const argv = ['mariadb', ...clientOf(as), '--batch', '--skip-column-names', '--', database]
  const input = `${statement};\nSELECT '${DONE}';\n`
  const { stdout } = await tryAsOwner(host, user, argv, { input, timeout_ms: LIMIT_MS })
  return stdout.includes(DONE)
}

/** Returns a random hash; no password is known that has it. */
const hashOf = ({ random }: Host): string =>
  `*${createHash('sha1').update(random.text(32)).digest('hex').toUpperCase()}`
