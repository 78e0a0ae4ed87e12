import { type Change, declared } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import { DatabaseUnavailable } from '#agent/kernel/host/database-unavailable.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import { MARIADB } from '#agent/kernel/services/debian-services.ts'
import { ensureRunning, servicesOf } from '#agent/kernel/services/index.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { invalid, messageOf, ServiceError } from '#shared/kernel/errors.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { databaseOf } from '#shared/kernel/site-identity.ts'
import * as account from './account.ts'
import { type AccountOwner, accountOf, CHARACTERS } from './account.ts'
import { endConnections } from './end-connections.ts'
import { endTemporaryOf } from './temporary-accounts.ts'

/** Throws invalid on `user` if MariaDB has a database or an account of that name. */
export async function refuseExistingDatabase(host: Host, user: string): Promise<void> {
  const [database, account] = await existing(host, user)
  if (database) throw invalid({ user: ['MariaDB already has a database of this name'] })
  if (account) throw invalid({ user: ['MariaDB already has an account of this name'] })
}

/** Returns whether a database, and whether an account, of this name exists. */
async function existing({ database }: Host, user: string): Promise<[boolean, boolean]> {
  const schemas = await database.admin('find_database', [user])
  const accounts = await database.admin('find_account', [user])
  return [schemas.length > 0, accounts.length > 0]
}

/** Creates a database, and a local account of the same name with rights to its tables. */
export const createDatabase = (host: Host, owner: AccountOwner, password: Secret): Change =>
  declared(databaseEffects(owner.user), async () => {
    await createEmptyDatabase(host, databaseOf(owner.user))
    await account.createAccount(host, owner, password)
  })

export const databaseEffects = (user: string): Effect[] => [
  effects.create('database', user),
  effects.create('account', accountOf(user)),
]

export async function createEmptyDatabase(
  { database }: Host,
  user: string,
  { character_set, collation } = CHARACTERS,
): Promise<void> {
  await database.admin('create_database', [user, character_set, collation])
}

/** Applies the account, and starts MariaDB if it is stopped. */
export const applyAccount = (host: Host, owner: AccountOwner): Change => ({
  async effects() {
    const starting = await startMariadb(host).effects()
    if (starting.length > 0) return [...starting, effects.change('account', accountOf(owner.user))]
    return account.applyAccount(host, owner).effects()
  },
  async apply() {
    await ensureMariadb(host)
    await account.applyAccount(host, owner).apply()
  },
})

/**
 * Removes a database and its account, and ends open connections. Starts MariaDB if it is stopped,
 * for example during boot; the effects are those of a running one. Removes the tables first if
 * nothing locks them: on a full disk MariaDB waits for free space before it drops an account.
 */
export const removeDatabase = (host: Host, user: string): Change => ({
  async effects() {
    const all = [effects.remove('account', accountOf(user)), effects.remove('database', user)]
    if (!(await isRunning(host, MARIADB))) return all
    const [databases, accounts] = await existing(host, user)
    return all.filter(({ kind }) => (kind === 'database' ? databases : accounts))
  },
  async apply() {
    const { database } = host
    await ensureMariadb(host)
    await endTemporaryOf(host, user)
    await database.admin('end_connections', [user])
    await database.admin('drop_database', [user]).catch(() => undefined)
    await database.admin('drop_account', [user])
    await endConnections(host, user)
    await database.admin('drop_database', [user])
  },
})

/** Returns the step that starts MariaDB; none if it is running. */
export async function mariadbSteps(host: Host): Promise<Step[]> {
  if (await isRunning(host, MARIADB)) return []
  return [{ name: 'mariadb', title: 'Starting MariaDB', ...startMariadb(host) }]
}

export const startMariadb = (host: Host): Change => ({
  effects: async () =>
    (await isRunning(host, MARIADB)) ? [] : [effects.create('service', MARIADB.unit)],
  apply: () => ensureMariadb(host),
})

/** Starts MariaDB if it is stopped, and waits until it answers. */
export async function ensureMariadb(host: Host): Promise<void> {
  // The process may run and not answer, because somebody else restarts it.
  if (!(await isRunning(host, MARIADB))) await ensureRunning(host, MARIADB).catch(refuseBroken)
  await awaitAnswer(host)
}

/** Throws the remedy for a full disk if that is the cause. */
function refuseBroken(cause: unknown): never {
  if (isDiskFull(cause)) throw cause
  const remedy =
    'see "MariaDB does not start" in the troubleshooting of the documentation, then choose Retry'
  const message = `MariaDB does not start on this server: ${remedy} (${messageOf(cause)})`
  throw new ServiceError('internal', { message, refusal: 'database_failed', cause })
}

export async function restartMariadb(host: Host): Promise<void> {
  await servicesOf(host).restart(MARIADB)
  await awaitAnswer(host)
}

async function awaitAnswer(host: Host): Promise<void> {
  const end = host.clock.elapsed() + 30_000
  for (;;) {
    try {
      await host.database.admin('answers')
      return
    } catch (error) {
      // MariaDB answers, and a retry has the same result.
      if (error instanceof DatabaseUnavailable && error.problem === 'denied') return
      if (host.clock.elapsed() > end) throw error
      await host.clock.sleep(50)
    }
  }
}
