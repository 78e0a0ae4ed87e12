import { removeDatabase } from '#agent/os/database/mariadb.ts'
import { refused, type SceneAttack, succeeded, type Verdict } from '#agent/os/isolation/attack.ts'
import { ownSql, withRoutines } from '#agent/os/isolation/own-sql.ts'
import { plantedName, type Scene } from '#agent/os/isolation/scene.ts'
import { bringDatabaseBack, forgetDatabase, keepDatabase } from '#agent/os/trash/database.ts'

/** A restored database contains everything that the site put into it. */
export const RESTORES = {
  'restore.statements': {
    severity: 'critical',
    title: 'Have its own SQL run as root when its database comes back from the trash',
    meaning: 'The site becomes root of MariaDB.',
    attempt: statements,
  },
} as const satisfies Record<string, SceneAttack>

/**
 * Server and client disagree about comments: after `--\x01` the client sees the end of a statement
 * that the server does not see. The planted account is locked and has no rights.
 */
async function statements({ host, attacker, random }: Scene): Promise<Verdict> {
  const planted = plantedName(random)
  await withRoutines(host, attacker, () =>
    ownSql(host, attacker, [
      `CREATE FUNCTION isolation_planted() RETURNS INT RETURN 1 --\x01;; CREATE USER '${planted}'@'localhost' ACCOUNT LOCK;; SELECT 1\n + 1`,
    ]),
  )
  const failure = await movedThroughTrash({ host, attacker })
  const found = await host.database.admin('find_account', [planted])
  await removePlanted({ host, random })
  if (found.length > 0) return succeeded('its statement made an account')
  return refused(failure)
}

/** Deletes and restores it; returns the refusal. */
async function movedThroughTrash({ host, attacker }: Pick<Scene, 'host' | 'attacker'>) {
  try {
    await keepDatabase(host, attacker)
    await removeDatabase(host, attacker.user)
    await bringDatabaseBack(host, attacker)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : String(error)
  } finally {
    await forgetDatabase(host, attacker).apply()
  }
}

export async function removePlanted({ host, random }: Pick<Scene, 'host' | 'random'>) {
  await host.database.admin('drop_account', [plantedName(random)])
}
