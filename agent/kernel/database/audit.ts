import type { DatabaseRow, Host } from '#agent/kernel/host/ports.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import { parsePrivileges } from './account.ts'
import { type ForeignObject, objectsIn } from './foreign-objects.ts'
import { escapedPattern } from './rights.ts'
import { isTemporaryOrEnding } from './temporary-accounts.ts'

/** The accounts that Debian and MariaDB create. */
const SYSTEM_ACCOUNTS = ['root', 'mysql', 'mariadb.sys', 'debian-sys-maint', 'PUBLIC', '']
const MAX_OBJECTS = 1000
const MAX_ACCOUNTS = 20_000

export interface AuditFindings {
  found: ForeignObject[]
  /** The reasons why the list is incomplete: more objects, or unreadable ones. */
  incomplete: string[]
}

/**
 * Lists possible traces of an attack on a site's database: code in the databases of sites, and
 * accounts with more rights than a site has. Reads the tables of MariaDB itself and the definitions
 * in its folder only: it runs no code of a site and waits for no lock of a site.
 */
export async function findForeignObjects(host: Host): Promise<AuditFindings> {
  const users = (await listSites(host)).map(({ user }) => user)
  const findings: AuditFindings = { found: [], incomplete: [] }
  await collect(findings, 'accounts', () => foreignAccounts(host, new Set(users)))
  for (const user of users) await collect(findings, user, () => objectsIn(host, user))
  if (findings.found.length > MAX_OBJECTS)
    findings.incomplete.push(`only the first ${MAX_OBJECTS} are listed`)
  return { ...findings, found: findings.found.slice(0, MAX_OBJECTS) }
}

async function collect(
  { found, incomplete }: AuditFindings,
  what: string,
  read: () => Promise<ForeignObject[]>,
): Promise<void> {
  if (found.length > MAX_OBJECTS) return
  try {
    found.push(...(await read()))
  } catch (error) {
    incomplete.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function foreignAccounts(host: Host, sites: Set<string>): Promise<ForeignObject[]> {
  const { database } = host
  const limit = [MAX_ACCOUNTS]
  const all = await database.admin('list_accounts', limit)
  const rights = [
    ...(await database.admin('list_database_rights', limit)),
    ...(await database.admin('list_table_rights', limit)),
  ].filter(({ user }) => !isTemporaryOrEnding(host, String(user)))
  const names = new Map([...sites].map((user) => [escapedPattern(user), user]))
  return [...all.flatMap(privilegedAccounts), ...rights.flatMap((row) => sharedRights(row, names))]
}

/** Returns accounts with rights to everything, of a site or an unknown owner. */
function privilegedAccounts({ user, host, priv }: DatabaseRow): ForeignObject[] {
  if (SYSTEM_ACCOUNTS.includes(String(user)) || parsePrivileges(priv).access === 0) return []
  return [{ kind: 'account', database: '*', name: `${user}@${host}` }]
}

/** Returns rights of a site to foreign objects, and of foreign accounts to its database. */
function sharedRights(row: DatabaseRow, sites: ReadonlyMap<string, string>): ForeignObject[] {
  const [user = '', host, name = ''] = [row.user, row.host, row.name].map(String)
  const users = [...sites.values()]
  const owner = sites.get(name) ?? users.find((known) => known === name)
  const isSite = users.includes(user)
  const isFine = isSite ? owner === user && host === 'localhost' : owner === undefined
  if (isFine || SYSTEM_ACCOUNTS.includes(user)) return []
  return [{ kind: 'right', database: name, name: `${user}@${host}` }]
}
