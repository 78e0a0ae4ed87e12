import type { Host } from '#agent/kernel/host/ports.ts'
import { databaseLimits, machineOf, siteLimitsOn } from '#agent/kernel/site/tiers.ts'
import { MAX_SECONDS, type UserRights } from '#shared/database/database-user.ts'
import type { AccountOwner } from './account.ts'
import { endConnections } from './end-connections.ts'
import { escapedPattern } from './rights.ts'

/** Matches a name that no user of a site can have. It has its end in Unix seconds. */
const NAME = /^hosting_tmp_([a-z0-9]{10})_(\d{10})$/
/** The maximum remaining time; a longer one comes from a clock change. */
const MAX_REMAINING_SECONDS = MAX_SECONDS + 300
const CONNECTIONS = 5
/** The seconds from the end of a temporary account to its removal; its connections are ended first. */
const REMOVED_WITHIN = 120

export interface TemporaryAccount {
  user: string
  /** The database that it has rights to; undefined after an interrupted creation. */
  database: string | undefined
  rights: UserRights
  /** The end in Unix seconds. */
  ends: number
}

interface NewAccount {
  /** The unique part of the name. */
  token: string
  rights: UserRights
  seconds: number
  password_hash: string
}

/** Lists the temporary accounts. MariaDB has the record, which no crash loses. */
export async function listTemporary({ database }: Host): Promise<TemporaryAccount[]> {
  const rows = await database.admin('list_temporary_accounts')
  return rows.flatMap(({ user, name, writes }) => {
    const ends = NAME.exec(String(user))?.[2]
    if (ends === undefined) return []
    const rights = writes === 'Y' ? 'write' : 'read'
    return [{ user: String(user), database: databaseOf(name), rights, ends: Number(ends) }]
  })
}

/** Lists the temporary accounts of the database of a site. */
export const temporaryOf = async (host: Host, name: string): Promise<TemporaryAccount[]> =>
  (await listTemporary(host)).filter(({ database }) => database === name)

/** Returns whether it is a temporary account whose time is not over. */
export function isTemporary(host: Host, user: string): boolean {
  const ends = NAME.exec(user)?.[2]
  return ends !== undefined && !isOver(host, Number(ends))
}

/** Returns whether it is a temporary account, also one that has just ended and is being removed. */
export function isTemporaryOrEnding(host: Host, user: string): boolean {
  const ends = NAME.exec(user)?.[2]
  return ends !== undefined && !isOver(host, Number(ends) + REMOVED_WITHIN)
}

/** Finds the account that `createTemporary` made with this token. */
export const findTemporary = async (
  host: Host,
  token: string,
): Promise<TemporaryAccount | undefined> =>
  (await listTemporary(host)).find(({ user }) => NAME.exec(user)?.[1] === token)

/** Creates an account for the tables of one site from this machine, with the site's rights. */
export async function createTemporary(
  host: Host,
  owner: AccountOwner,
  account: NewAccount,
): Promise<void> {
  const { token, rights, seconds, password_hash } = account
  const ends = Math.floor(host.clock.now() / 1000) + seconds
  const user = `hosting_tmp_${token}_${ends}`
  const { statement_time } = databaseLimits(siteLimitsOn(owner, await machineOf(host)))
  const values = [user, password_hash, CONNECTIONS, statement_time]
  await host.database.admin('create_temporary_account', values)
  const grant = rights === 'write' ? 'grant_tables' : 'grant_reading'
  await host.database.admin(grant, [escapedPattern(owner.user), user])
}

/** Locks the account, ends its connections, drops it: an interrupted end repeats. */
export async function endTemporary(host: Host, user: string): Promise<void> {
  if (!NAME.test(user)) throw new Error('not a temporary account')
  await host.database.admin('lock_account', [user])
  await dropLocked(host, user)
}

async function dropLocked(host: Host, user: string): Promise<void> {
  await endConnections(host, user)
  await host.database.admin('drop_account', [user])
}

/** Ends the temporary accounts of a database before it is closed, replaced or removed. */
export async function endTemporaryOf(host: Host, name: string): Promise<void> {
  for (const { user } of await temporaryOf(host, name)) await endTemporary(host, user)
}

/** Ends all accounts whose time is over, also those that a killed agent left. */
export async function endExpired(host: Host): Promise<void> {
  const expired = (await listTemporary(host)).filter(({ ends }) => isOver(host, ends))
  // An account that takes long to end must not keep the others usable.
  for (const { user } of expired) await host.database.admin('lock_account', [user])
  const failures: unknown[] = []
  for (const { user } of expired)
    await dropLocked(host, user).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

function isOver({ clock }: Host, ends: number): boolean {
  const left = ends - clock.now() / 1000
  return left <= 0 || left > MAX_REMAINING_SECONDS
}

/** Returns the database of a row of mysql.db, whose name is a pattern. */
const databaseOf = (name: unknown) =>
  typeof name === 'string' ? name.replace(/\\(.)/g, '$1') : undefined
