import { z } from 'zod'
import type { Change } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { databaseLimits, machineOf, siteLimitsOn } from '#agent/kernel/site/tiers.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { endConnections } from './end-connections.ts'
import { type AdminCall, escapedPattern, rightsCalls } from './rights.ts'
import { endTemporaryOf } from './temporary-accounts.ts'

/** The properties of a site that determine its database account. */
export type AccountOwner = Pick<Site, 'user' | 'tier' | 'database_routines' | 'settings'>

/** The fields of MariaDB's own account record that the agent uses. */
const Privileges = z.object({
  access: z.number().default(0),
  plugin: z.string().default(''),
  authentication_string: z.string().default(''),
  auth_or: z.array(z.object({ plugin: z.string().optional() })).default([]),
  max_user_connections: z.number().default(0),
  max_statement_time: z.number().default(0),
})
type Privileges = z.infer<typeof Privileges>

const PASSWORD_PLUGIN = 'mysql_native_password'
/** SHA-1 twice, as `PASSWORD()` writes it. */
export const PASSWORD_HASH = /^\*[0-9A-F]{40}$/

/** The defaults of a database, which are those of WordPress's tables, so that joins work. */
export const CHARACTERS = { character_set: 'utf8mb4', collation: 'utf8mb4_unicode_520_ci' }

export const accountOf = (user: string) => `${user}@localhost`

/** Creates an account with the name of the database, for this machine, with rights to tables. */
export async function createAccount(
  host: Host,
  owner: AccountOwner,
  password: Secret,
): Promise<void> {
  const { user } = owner
  const values = [user, password.reveal(), ...(await limitsOf(host, owner))]
  await host.database.admin('create_account', values)
  await host.database.admin('grant_tables', [escapedPattern(user), user])
  if (owner.database_routines)
    await host.database.admin('grant_routines', [escapedPattern(user), user])
}

/**
 * Sets the current rights and limits of a site's account, and keeps its password. Ends connections
 * that may have had more rights. A missing account stays missing.
 */
export const applyAccount = (host: Host, owner: AccountOwner): Change => ({
  async effects() {
    const calls = await callsFor(host, owner)
    return calls.length > 0 ? [effects.change('account', accountOf(owner.user))] : []
  },
  async apply() {
    for (const [statement, values] of await callsFor(host, owner)) {
      await host.database.admin(statement, values)
    }
  },
})

/** Returns the hash of the password; undefined if the account has none, or is missing. */
export async function passwordHashOf(host: Host, user: string): Promise<string | undefined> {
  const found = await readPrivileges(host, user)
  return found && hashIn(found)
}

/** Allows logins only as the site, with rights to its tables. Temporary users end. */
export async function reserveAccount(host: Host, user: string): Promise<void> {
  const { database } = host
  await endTemporaryOf(host, user)
  const known = await readPrivileges(host, user)
  if (known) await database.admin('alter_account_without_password', [user, 0, 0])
  else await database.admin('create_account_without_password', [user])
  for (const call of await rightsCalls(host, { user, access: known?.access ?? 0 })) {
    await database.admin(...call)
  }
  await endConnections(host, user)
}

/** Restores the password, limits and rights of an account that `reserveAccount` closed. */
export async function releaseAccount(
  host: Host,
  owner: AccountOwner,
  hash: string | undefined,
): Promise<void> {
  if (!(await readPrivileges(host, owner.user))) return
  const limits = await limitsOf(host, owner)
  await host.database.admin(...authentication(owner.user, hash, limits))
  await applyAccount(host, owner).apply()
}

async function callsFor(host: Host, owner: AccountOwner): Promise<AdminCall[]> {
  const found = await readPrivileges(host, owner.user)
  if (!found) return []
  const { user, database_routines: routines } = owner
  const rights = await rightsCalls(host, { user, access: found.access, routines })
  return [...loginCalls(user, found, await limitsOf(host, owner)), ...rights]
}

function loginCalls(user: string, found: Privileges, limits: number[]): AdminCall[] {
  const [connections, seconds] = limits
  const isLimited =
    found.max_user_connections === connections && found.max_statement_time === seconds
  const bySocket = [found, ...found.auth_or].some(({ plugin }) => plugin === 'unix_socket')
  if (isLimited && bySocket) return []
  if (bySocket || found.plugin !== PASSWORD_PLUGIN) return [['limit_account', [user, ...limits]]]
  return [authentication(user, hashIn(found), limits)]
}

function authentication(user: string, hash: string | undefined, limits: number[]): AdminCall {
  if (hash === undefined) return ['alter_account_without_password', [user, ...limits]]
  return ['alter_account', [user, hash, ...limits]]
}

const hashIn = ({ plugin, authentication_string: text }: Privileges) =>
  plugin === PASSWORD_PLUGIN && PASSWORD_HASH.test(text) ? text : undefined

async function readPrivileges({ database }: Host, user: string): Promise<Privileges | undefined> {
  const [row] = await database.admin('read_account', [user])
  return row && parsePrivileges(row.priv)
}

/** Parses the record. `access` is a 64-bit number; the agent only compares it with 0. */
export function parsePrivileges(text: unknown): Privileges {
  return Privileges.parse(JSON.parse(String(text)))
}

async function limitsOf(host: Host, owner: AccountOwner): Promise<number[]> {
  const { connections, statement_time } = databaseLimits(siteLimitsOn(owner, await machineOf(host)))
  return [connections, statement_time]
}
