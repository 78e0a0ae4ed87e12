import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import { awaitOutcome } from '#dashboard/kernel/engine/enqueue.ts'
import { type StartDeps, startOperation } from '#dashboard/kernel/engine/start-operation.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { CreatedDatabaseUser, DatabaseUsers } from '#shared/database/api/site-database.ts'
import { databaseUserType } from '#shared/database/database.user.ts'
import type { UserRights } from '#shared/database/database-user.ts'
import { databaseUsersReading } from '#shared/database/readings.ts'
import { hashOf, newToken } from './new-user.ts'

const SOCKET = '/run/mysqld/mysqld.sock'
/** The port of a tunnel, beside that of a MariaDB on the own computer. */
const PORT = 3307
/** The password has 192 bits. */
const PASSWORD_BYTES = 24

export const listDatabaseUsers = (
  { agents }: { agents: Agents },
  { server, site }: SiteTarget,
): Promise<DatabaseUsers> => agents.call(server, databaseUsersReading, { domain: site.domain })

/**
 * Creates a temporary user. Only the caller gets the password: the records and the server have the
 * hash that MariaDB needs, with which nobody can log in.
 */
export async function createDatabaseUser(
  deps: StartDeps,
  target: SiteTarget,
  { rights, minutes }: { rights: UserRights; minutes: number },
): Promise<CreatedDatabaseUser> {
  const password = Buffer.from(deps.random(PASSWORD_BYTES)).toString('base64url')
  const token = newToken(deps.random)
  const input = { token, rights, minutes, account_hash: hashOf(password) }
  const job = await startOperation(deps, 'database.user', target, input)
  const made = databaseUserType.outcome.result.parse(await awaitOutcome(deps, job))
  const { user, database, ends_at } = made
  const { user: login, hostname } = target.server
  const tunnel = `ssh -N -L ${PORT}:${SOCKET} ${login}@${hostname}`
  const where = { host: '127.0.0.1', port: PORT, tunnel, socket: SOCKET }
  return { user, password, database, rights, ...where, ends_at }
}
