import { and, asc, eq, gte, inArray, isNotNull, not, sql } from 'drizzle-orm'
import { writeIf } from '#dashboard/kernel/activity/queries.ts'
import {
  people,
  person_keys,
  site_access,
  site_clients,
  site_logins,
} from '#dashboard/kernel/db/access-schema.ts'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities, sites, users } from '#dashboard/kernel/db/schema.ts'
import type { RecordChange } from '#dashboard/kernel/engine/rules.ts'
import type { SiteAccessReport } from '#shared/access/site.access.ts'
import type { ClientAccount } from '#shared/access/site-clients.ts'

export type PersonRow = typeof people.$inferSelect
type NewKey = typeof person_keys.$inferInsert

export async function findPerson(db: Database, id: number): Promise<PersonRow | undefined> {
  const [row] = await db.read.select().from(people).where(eq(people.id, id))
  return row
}

export const listPeople = (db: Database) => db.read.select().from(people).orderBy(asc(people.name))

export const listKeys = (db: Database, ids?: readonly number[]) =>
  db.read
    .select()
    .from(person_keys)
    .where(ids && inArray(person_keys.person_id, [...ids]))
    .orderBy(asc(person_keys.id))

/**
 * Whether an access is older than the last end of all access of its person, or the account of the
 * person is deactivated: an operation can have read its grants before that, and begin after it.
 */
export const ENDING = sql<boolean>`((${people.access_ended_at} is not null
    and coalesce(${site_access.granted_at}, '') <= ${people.access_ended_at})
  or exists (select 1 from users
    where users.id = ${people.user_id} and users.deactivated_at is not null))`.mapWith(Boolean)

/** Selects sites with their people, and what the server reported last. */
const selectGrants = (db: Database) =>
  db.read
    .select({
      person_id: site_access.person_id,
      name: people.name,
      kind: site_access.kind,
      expires_at: site_access.expires_at,
      site_id: sites.id,
      server_id: sites.server_id,
      domain: sites.domain,
      ending: ENDING,
      reported_by: site_logins.server_id,
      report: site_logins.report,
    })
    .from(site_access)
    .innerJoin(people, eq(people.id, site_access.person_id))
    .innerJoin(sites, eq(sites.id, site_access.site_id))
    .leftJoin(site_logins, eq(site_logins.site_id, sites.id))
    .$dynamic()

export type GrantRow = Awaited<ReturnType<typeof listGrants>>[number]

export const listGrants = (db: Database) => selectGrants(db).orderBy(asc(sites.domain))

export const listGrantsOf = (db: Database, site_id: number) =>
  selectGrants(db).where(eq(sites.id, site_id)).orderBy(asc(people.name))

export const listClientsOf = (db: Database, site_id: number): Promise<ClientAccount[]> =>
  db.read
    .select({
      token: site_clients.token,
      label: site_clients.label,
      expires_at: site_clients.expires_at,
      password_hash: site_clients.password_hash,
    })
    .from(site_clients)
    .where(eq(site_clients.site_id, site_id))
    .orderBy(asc(site_clients.label), asc(site_clients.token))

export async function findLogin(db: Database, site_id: number) {
  const [row] = await db.read.select().from(site_logins).where(eq(site_logins.site_id, site_id))
  return row
}

/** Lists the access that a site keeps, without what is about to end. */
export const listKeptGrants = (db: Database, site_id: number) =>
  selectGrants(db)
    .where(and(eq(sites.id, site_id), not(ENDING)))
    .orderBy(asc(people.name))

/** Lists the people of these ids whose access has ended at this time or later. */
export const listEndedSince = (db: Database, ids: readonly number[], since: string) =>
  db.read
    .select({ name: people.name })
    .from(people)
    .where(and(inArray(people.id, [...ids]), gte(people.access_ended_at, since)))

/** Lists the people of these ids whose account is deactivated. */
export const listDeactivated = (db: Database, ids: readonly number[]) =>
  db.read
    .select({ name: people.name })
    .from(people)
    .innerJoin(users, eq(users.id, people.user_id))
    .where(and(inArray(people.id, [...ids]), isNotNull(users.deactivated_at)))

export async function insertPerson(
  db: Database,
  values: Pick<PersonRow, 'name' | 'created_at'>,
  entry: NewActivity,
): Promise<void> {
  await writeAll(db, (queries) => [
    queries.insert(people).values(values),
    queries.insert(activities).values(entry),
  ])
}

/**
 * Deletes a person. Breaks a constraint while the person has access to a site. Returns false for one
 * with an account or an invitation.
 */
export async function deletePerson(db: Database, id: number, entry: NewActivity): Promise<boolean> {
  const without = sql`exists (select 1 from people where id = ${id} and user_id is null)
    and not exists (select 1 from invitations where person_id = ${id})`
  return writeIf(db, without, entry, (queries) => [queries.delete(people).where(eq(people.id, id))])
}

/** Stores a key of a person with fewer keys than `most`, else returns false. */
export async function insertKey(
  db: Database,
  key: NewKey,
  most: number,
  entry: NewActivity,
): Promise<boolean> {
  const isRoom = sql`(select count(*) from person_keys where person_id = ${key.person_id}) < ${most}`
  return writeIf(db, isRoom, entry, (queries) => [queries.insert(person_keys).values(key)])
}

export async function deleteKey(
  db: Database,
  { id, person_id }: { id: number; person_id: number },
  entry: NewActivity,
): Promise<boolean> {
  const isKey = and(eq(person_keys.id, id), eq(person_keys.person_id, person_id))
  const [known] = await db.read.select().from(person_keys).where(isKey)
  if (!known) return false
  await writeAll(db, (queries) => [
    queries.delete(person_keys).where(isKey),
    queries.insert(activities).values(entry),
  ])
  return true
}

interface NewGrant {
  id: number
  kind: (typeof site_access.$inferInsert)['kind']
  expires_at: string | null
}

interface SiteAccess {
  grants: readonly NewGrant[]
  clients: readonly ClientAccount[]
}

/** Stores who may log in to a site, without removed people and unconfirmed accounts. */
export const storeAccess =
  ({ grants, clients }: SiteAccess, report: SiteAccessReport): RecordChange =>
  (queries, { id: operation_id, site_id, server_id }) => {
    if (site_id === null) return []
    const granted_at = sql`(select created_at from operations where id = ${operation_id})`
    const values = { server_id, report }
    const made = clients.filter(({ token }) => report.clients.some((one) => one.token === token))
    return [
      queries.delete(site_access).where(eq(site_access.site_id, site_id)),
      ...grants.map(({ id, kind, expires_at }) =>
        queries.run(sql`insert into site_access (site_id, person_id, kind, expires_at, granted_at)
          select ${site_id}, id, ${kind}, ${expires_at}, ${granted_at} from people
          where id = ${id}`),
      ),
      queries.delete(site_clients).where(eq(site_clients.site_id, site_id)),
      ...made.map(({ token, label, expires_at, password_hash }) =>
        queries.insert(site_clients).values({ site_id, token, label, expires_at, password_hash }),
      ),
      queries
        .insert(site_logins)
        .values({ site_id, ...values })
        .onConflictDoUpdate({ target: site_logins.site_id, set: values }),
    ]
  }
