import { refused, type SceneAttack, succeeded } from '#agent/features/isolation/attack.ts'
import { runOwnSql, withRoutines } from '#agent/features/isolation/own-sql.ts'
import { plantedName } from '#agent/features/isolation/scene.ts'
import {
  removeTrashedDatabase,
  restoreTrashedDatabase,
  trashDatabase,
} from '#agent/features/sites/trash/database.ts'
import { removeDatabase } from '#agent/kernel/database/mariadb.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'

/** Attacks by restored databases, which contain everything that the site put into them. */
export const RESTORE_ATTACKS = {
  'restore.statements': {
    severity: 'critical',
    title: 'Have its own SQL run as root when its database comes back from the trash',
    meaning: 'The site becomes root of MariaDB.',
    /**
     * Server and client disagree about comments: after `--\x01` the client sees the end of a
     * statement that the server does not see. The planted account is locked and has no rights.
     */
    async attempt({ host, attacker, random }) {
      const planted = plantedName(random)
      await withRoutines(host, attacker, () =>
        runOwnSql(host, attacker, [
          `CREATE FUNCTION isolation_planted() RETURNS INT RETURN 1 --\x01;; CREATE USER '${planted}'@'localhost' ACCOUNT LOCK;; SELECT 1\n + 1`,
        ]),
      )
      const failure = await movedThroughTrash(host, attacker)
      const found = await host.database.admin('find_account', [planted])
      await removePlanted(host, random)
      return found.length > 0 ? succeeded('its statement made an account') : refused(failure)
    },
  },
} as const satisfies Record<string, SceneAttack>

/** Deletes and restores the attacker; returns the refusal. */
async function movedThroughTrash(host: Host, attacker: Site): Promise<string> {
  try {
    await trashDatabase(host, attacker)
    await removeDatabase(host, attacker.user).apply()
    await restoreTrashedDatabase(host, attacker).apply()
    return ''
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : String(error)
  } finally {
    await removeTrashedDatabase(host, attacker).apply()
  }
}

export async function removePlanted(host: Host, random: string): Promise<void> {
  await host.database.admin('drop_account', [plantedName(random)])
}
