import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import {
  type Database,
  type Queries,
  type Statement,
  writeAll,
} from '#dashboard/kernel/db/client.ts'
import {
  backup_repositories,
  backup_repository_servers,
} from '#dashboard/kernel/db/repositories-schema.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { operations, sites } from '#dashboard/kernel/db/schema.ts'

export type RepositoryRow = typeof backup_repositories.$inferSelect
/** A new repository with its password, as its server reports it. */
export type BegunRepository = RepositoryPlace & { kit_id: number; sealed_password: string }
type RepositoryPlace = Pick<RepositoryRow, 'target_id' | 'name'>
type RepositoryOwner = Pick<SiteRow, 'id' | 'server_id' | 'user'>

/**
 * Returns the repository into which a backup of a site goes: no server but that of the site has
 * ever known its password. Undefined if there is none.
 */
export async function findOwnRepository(
  db: Database,
  { id, server_id }: RepositoryOwner,
  target_id: number,
): Promise<RepositoryRow | undefined> {
  const { name } = backup_repositories
  const [row] = await db.read
    .select()
    .from(backup_repositories)
    .where(
      and(
        eq(backup_repositories.target_id, target_id),
        eq(backup_repositories.site_id, id),
        eq(backup_repositories.is_shared, false),
        sql`not exists (select 1 from backup_repository_servers as others
          where others.target_id = ${target_id} and others.name = ${name}
            and others.server_id <> ${server_id})`,
      ),
    )
    .orderBy(desc(sql`length(${name})`), desc(name))
    .limit(1)
  return row
}

/** Lists the names with a beginning that repositories have or had, and that of other sites. */
export async function listTakenNames(
  db: Database,
  { id }: RepositoryOwner,
  beginning: string,
): Promise<Set<string>> {
  const isSo = (name: string) =>
    sql`substr(${sql.raw(name)}, 1, ${beginning.length}) = ${beginning}`
  const rows = await db.read.all<{ name: string }>(sql`
    select name from backup_repositories where ${isSo('name')}
    union select name from backup_repository_servers where ${isSo('name')}
    union select user from sites where ${isSo('user')} and id <> ${id} and not found`)
  return new Set(rows.map(({ name }) => name))
}

export async function findOwner(db: Database, id: number): Promise<RepositoryOwner | undefined> {
  const { server_id, user } = sites
  const [row] = await db.read
    .select({ id: sites.id, server_id, user })
    .from(sites)
    .where(eq(sites.id, id))
  return row
}

export async function storeUnsentParams(
  db: Database,
  id: string,
  params: Record<string, unknown>,
): Promise<void> {
  const isOwn = and(eq(operations.id, id), isNull(operations.sent_at))
  await db.write((queries) => queries.update(operations).set({ params }).where(isOwn))
}

/** Records that a server knows the password of a repository, before the server gets or makes it. */
export async function recordServer(
  db: Database,
  { target_id, name }: RepositoryPlace,
  server_id: number,
): Promise<void> {
  await db.write((queries) => serverStatement(queries, { target_id, name }, server_id))
}

const serverStatement = (
  queries: Queries,
  { target_id, name }: RepositoryPlace,
  server_id: number,
) =>
  queries
    .insert(backup_repository_servers)
    .values({ target_id, name, server_id })
    .onConflictDoNothing()

export async function reserveRepository(
  db: Database,
  repository: typeof backup_repositories.$inferInsert,
  server_id: number,
): Promise<void> {
  await writeAll(db, (queries) => [
    queries.insert(backup_repositories).values(repository),
    serverStatement(queries, repository, server_id),
  ])
}

/** Gives up a repository without a backup; its server knows it, so its name is not reused. */
export async function abandonRepository(
  db: Database,
  { target_id, name }: RepositoryPlace,
): Promise<void> {
  const { target_id: target, name: named, sealed_password } = backup_repositories
  await db.write((queries) =>
    queries
      .delete(backup_repositories)
      .where(and(eq(target, target_id), eq(named, name), isNull(sealed_password))),
  )
}

/** Stores the password of a repository after its first backup: the first password counts. */
export function begunStatement(
  queries: Queries,
  { target_id, name, kit_id, sealed_password }: BegunRepository,
): Statement {
  const { target_id: target, name: named } = backup_repositories
  return queries
    .update(backup_repositories)
    .set({ kit_id, sealed_password })
    .where(and(eq(target, target_id), eq(named, name), isNull(backup_repositories.sealed_password)))
}
