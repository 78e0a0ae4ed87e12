import type { AdminStatement } from '#agent/kernel/host/admin-statements.ts'
import type { DatabaseRow, Host } from '#agent/kernel/host/ports.ts'

/** A statement that runs as root, with its values. */
export type AdminCall = [AdminStatement, unknown[]]

/** The columns of mysql.db that `grant_tables` and `grant_routines` set. */
const TABLES = [
  'Select',
  'Insert',
  'Update',
  'Delete',
  'Create',
  'Drop',
  'Index',
  'Alter',
  'References',
  'Create_tmp_table',
  'Lock_tables',
]
const ROUTINES = [
  'Create_view',
  'Show_view',
  'Trigger',
  'Create_routine',
  'Alter_routine',
  'Execute',
  'Event',
]

interface SiteRights {
  user: string
  /** The account's global rights, as MariaDB stores them: 0 for a site. */
  access: number
  /** Whether the rights include views, triggers, routines and events. */
  routines?: boolean | undefined
}

/**
 * Returns the calls that give an account exactly the rights of a site: to the tables of the
 * database of its own name. If it loses rights its connections end, since they would keep them.
 */
export async function rightsCalls({ database }: Host, rights: SiteRights): Promise<AdminCall[]> {
  const { user, access, routines = false } = rights
  const values = [escapedPattern(user), user]
  const rows = await database.admin('read_database_rights', [user])
  const [others] = await database.admin('count_other_rights', Array(5).fill(user))
  const [row] = rows
  const foreign = access !== 0 || rows.length > 1 || Number(others?.count ?? 0) > 0
  if (foreign || (row && !isOwn(row, user))) {
    return [
      ['revoke_everything', [user]],
      ['grant_tables', values],
      ...(routines ? [['grant_routines', values] satisfies AdminCall] : []),
      ['end_connections', [user]],
    ]
  }
  const has = (names: string[]) => names.filter((name) => row?.[`${name}_priv`] === 'Y').length
  const calls: AdminCall[] = []
  if (has(TABLES) < TABLES.length) calls.push(['grant_tables', values])
  if (routines && has(ROUTINES) < ROUTINES.length) calls.push(['grant_routines', values])
  if (!routines && has(ROUTINES) > 0) {
    calls.push(['revoke_routines', values], ['end_connections', [user]])
  }
  return calls
}

/** Returns whether the rights are to the account's own database from this machine, no others. */
function isOwn(row: DatabaseRow, user: string): boolean {
  const given = Object.keys(row).filter((name) => row[name] === 'Y' && name.endsWith('_priv'))
  const known = [...TABLES, ...ROUTINES].map((name) => `${name}_priv`)
  return (
    row.Db === escapedPattern(user) &&
    row.Host === 'localhost' &&
    given.every((name) => known.includes(name))
  )
}

/** Escapes a name for a GRANT, in which `_` and `%` are wildcards. */
export function escapedPattern(name: string): string {
  return name.replace(/[_%\\]/g, (sign) => `\\${sign}`)
}
