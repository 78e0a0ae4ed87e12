import { ensureMariadb } from '#agent/kernel/database/mariadb.ts'
import {
  createTemporary,
  endTemporary,
  findTemporary,
  temporaryOf,
} from '#agent/kernel/database/temporary-accounts.ts'
import { create } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { MAX_DATABASE_USERS, type UserRights } from '#shared/database/database-user.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** A temporary user of the database of a site; only the hash of the password is here. */
interface NewUser {
  domain: string
  token: string
  rights: UserRights
  minutes: number
  account_hash: string
}

export interface CreatedUser {
  domain: string
  user: string
  database: string
  ends_at: string
}

/** Throws conflict where the site has the maximum number of temporary users. */
export async function refuseUserLimit(
  { domain }: Pick<NewUser, 'domain'>,
  host: Host,
): Promise<void> {
  const { user, moving } = await getSite(host, domain)
  if (moving?.closed) throw conflict(`${domain} moves to another server: its database is there`)
  await ensureMariadb(host)
  const [database] = await host.database.admin('find_database', [user])
  if (!database) throw conflict(`${domain} has no database`)
  if ((await temporaryOf(host, user)).length < MAX_DATABASE_USERS) return
  throw conflict(`${domain} already has ${MAX_DATABASE_USERS} temporary users: end one of them`)
}

/** The user with its rights decides. One without rights is undone: nobody has its password. */
export function accountStep(
  params: NewUser,
  host: Host,
): Omit<Step, 'apply'> & { apply(): Promise<CreatedUser> } {
  const { domain, token, rights, minutes, account_hash: password_hash } = params
  const steady = host.steady ?? host
  return {
    name: 'account',
    title: `Creating a temporary user of the database of ${domain}`,
    effects: [create('account', `hosting_tmp_${token}@localhost`)],
    async apply() {
      const account = { token, rights, seconds: minutes * 60, password_hash }
      await createTemporary(host, await getSite(host, domain), account)
      return getMade(params, host)
    },
    async undo() {
      await ensureMariadb(steady)
      const made = await findTemporary(steady, token)
      if (made) await endTemporary(steady, made.user)
    },
    // A database that does not answer is asked again by the undo.
    decided: () =>
      findCreatedUser(params, steady).then(
        (made) => made !== undefined,
        () => false,
      ),
  }
}

type Named = Pick<NewUser, 'domain' | 'token'>

/** Throws if it is not there. */
export async function getMade(params: Named, host: Host): Promise<CreatedUser> {
  const made = await findCreatedUser(params, host)
  if (!made) throw new Error('The temporary user is already gone')
  return made
}

/**
 * Undefined: it was not created, or has no rights yet. Starts MariaDB if it is stopped, for example
 * during boot.
 */
async function findCreatedUser(
  { domain, token }: Named,
  host: Host,
): Promise<CreatedUser | undefined> {
  await ensureMariadb(host)
  const found = await findTemporary(host, token)
  if (found?.database === undefined) return undefined
  const { user, database, ends } = found
  return { domain, user, database, ends_at: new Date(ends * 1000).toISOString() }
}
