import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseOnClient } from '#dashboard/kernel/db/client.ts'
import { connect, type DatabaseAddress, databaseFileOf } from '#dashboard/kernel/db/connect.ts'
import { damagesOf, deviationsOf, listSealed } from '#dashboard/kernel/db/inspect.ts'
import { breachesOf } from '#dashboard/kernel/db/invariants.ts'
import { type AllMarked, listMarked } from '#dashboard/kernel/db/marked.queries.ts'
import { MARKED_TABLES, type MarkedTable, Marks } from '#dashboard/kernel/db/marks.ts'
import { appliedMigrations, knownMigrations } from '#dashboard/kernel/db/migrations.ts'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { type DashboardRecords, mustExist } from './back-up.ts'
import { BackupError } from './manifest.ts'
import { verifyUnpacked, withBackup } from './read-backup.ts'
import { findSealSecret, fingerprintOf, unopened } from './seal-secret.ts'

export interface CheckReport {
  findings: string[]
  notes: string[]
}

/** Checks the records while dashboards use them, and changes nothing. */
export async function checkRecords({ database, data_dir }: DashboardRecords): Promise<CheckReport> {
  await mustExist(database)
  return checkDatabase(
    database,
    await findSealSecret(data_dir),
    `There is no seal-secret in ${data_dir}`,
  )
}

/** Checks a backup, or any other database file, in the same way. */
export async function checkFile(
  path: string,
  { data_dir }: DashboardRecords,
): Promise<CheckReport> {
  const present = await findSealSecret(data_dir)
  if (await isDatabase(path))
    return checkDatabase({ url: `file:${path}` }, present, 'There is no seal-secret')
  const folder = await mkdtemp(join(tmpdir(), 'hosting-control-check-'))
  try {
    return await withBackup(path, async (backup) => {
      const file = join(folder, 'dashboard.db')
      await backup.unpack(file)
      await verifyUnpacked(file, backup)
      const { seal } = backup.manifest
      const own = present && fingerprintOf(present) === seal ? present : undefined
      const hint = `The backup needs the seal-secret ${seal}, which is not in ${data_dir}`
      return checkDatabase({ url: `file:${file}` }, backup.secret ?? own, hint)
    })
  } catch (error) {
    if (error instanceof BackupError) return { findings: [error.message], notes: [] }
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function checkDatabase(
  database: DatabaseAddress,
  secret: Secret | undefined,
  hint: string,
): Promise<CheckReport> {
  using client = connect(database, 1)
  try {
    if (databaseFileOf(database.url) !== undefined) await client.execute('PRAGMA query_only = ON')
    const findings = [...(await damagesOf(client)), ...(await deviationsOf(client))]
    const behind = knownMigrations().length - (await appliedMigrations(client)).length
    if (behind !== 0 || findings.length > 0) return { findings, notes: unfinished(behind) }
    findings.push(...(await breachesOf(client)))
    if (!secret) {
      const skipped = 'the sealed keys were not opened, and the marks of rows not verified'
      return { findings, notes: [`${hint}: ${skipped}`] }
    }
    findings.push(...changedRows(await listMarked(databaseOnClient(client)), secret))
    const closed = unopened(secret, await listSealed(client))
    findings.push(...closed.map((what) => `${what} cannot be opened with the seal-secret`))
    return { findings, notes: [] }
  } catch (error) {
    if (codeOf(error) === '') throw error
    return { findings: [`The database cannot be read (${codeOf(error)})`], notes: [] }
  }
}

function unfinished(behind: number): string[] {
  if (behind <= 0) return []
  return [`It is ${behind} migrations behind: the next start brings it up to date`]
}

async function isDatabase(path: string): Promise<boolean> {
  await using file = await open(path, 'r').catch(() => {
    throw new BackupError(`${path} cannot be read`)
  })
  const { buffer } = await file.read(Buffer.alloc(16), 0, 16, 0)
  return buffer.toString('latin1') === 'SQLite format 3\0'
}

const MAX_NAMED = 20
const MAX_SHOWN = 64

type NameOf<T extends MarkedTable> = (row: AllMarked[T][number]) => string

/** Makes a name printable that whoever wrote the row has chosen. */
const printable = (value: string) => value.replace(/\p{C}/gu, '?').slice(0, MAX_SHOWN)

const NAMES: { [T in MarkedTable]: NameOf<T> } = {
  users: ({ id }) => `user ${id}`,
  sessions: ({ user_id, created_at }) => `session of user ${user_id} from ${printable(created_at)}`,
  api_tokens: ({ user_id, name }) => `API token ${printable(name)} of user ${user_id}`,
  grants: ({ user_id, gives }) => `grant ${printable(gives)} of user ${user_id}`,
  part_grants: ({ user_id, gives }) =>
    `grant ${printable(gives)} of user ${user_id} on a part of the fleet`,
  groups: ({ name }) => `group ${printable(name)}`,
  group_members: ({ user_id, group_id }) => `membership of user ${user_id} in group ${group_id}`,
  group_grants: ({ group_id, gives }) => `grant ${printable(gives)} of group ${group_id}`,
  policy_rules: ({ user_id, what }) =>
    `rule of the access policy about ${printable(what)} of user ${user_id}`,
  invitations: ({ person_id }) => `invitation of person ${person_id}`,
  passkeys: ({ user_id, name }) => `passkey ${printable(name)} of user ${user_id}`,
  password_resets: ({ user_id }) => `link for a new password of user ${user_id}`,
  server_agents: ({ server_id }) => `trusted agent of server ${server_id}`,
  user_factors: ({ user_id }) => `second factor of user ${user_id}`,
  identity_providers: ({ key }) => `identity provider ${printable(key)}`,
  identities: ({ user_id, issuer }) => `identity of user ${user_id} at ${printable(issuer)}`,
  sso_flows: ({ provider }) => `login at the provider ${printable(provider)}`,
}

/** Returns the findings about rows that admit, and were written without this secret. */
function changedRows(rows: AllMarked, secret: Secret): string[] {
  const marks = new Marks(secret.reveal(), { error: () => undefined })
  return MARKED_TABLES.flatMap((table) => changedIn(marks, table, rows[table]))
}

function changedIn<T extends MarkedTable>(marks: Marks, table: T, rows: AllMarked[T]): string[] {
  const changed = rows.filter((row) => !marks.fits(table, row))
  const named = changed
    .slice(0, MAX_NAMED)
    .map(
      (row) =>
        `${NAMES[table](row)}: the row was changed outside of the dashboard and is not accepted`,
    )
  if (changed.length <= MAX_NAMED) return named
  return [...named, `${changed.length} rows of ${table} have no valid mark`]
}
