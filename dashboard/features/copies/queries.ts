import { and, desc, eq, inArray, type SQL } from 'drizzle-orm'
import { backups } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database, Queries, Statement } from '#dashboard/kernel/db/client.ts'
import { site_copies, staging_access } from '#dashboard/kernel/db/copies-schema.ts'
import type { OperationRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { operations, sites } from '#dashboard/kernel/db/schema.ts'
import type { StoredSource } from '#dashboard/kernel/engine/rules.ts'
import type { Names } from '#dashboard/kernel/http/places.queries.ts'

export type StagingAccess = typeof staging_access.$inferSelect

export async function findStagingAccess(
  db: Database,
  site_id: number,
): Promise<StagingAccess | undefined> {
  const [row] = await db.read
    .select()
    .from(staging_access)
    .where(eq(staging_access.site_id, site_id))
  return row
}

export const passwordStatements = (
  queries: Queries,
  site_id: number,
  password_sealed: string,
): Statement[] => [
  queries
    .update(staging_access)
    .set({ password_sealed })
    .where(eq(staging_access.site_id, site_id)),
]

export async function findSiteById(db: Database, id: number): Promise<SiteRow | undefined> {
  const [row] = await db.read.select().from(sites).where(eq(sites.id, id))
  return row
}

/**
 * Returns the original of a copy and whether the copy is a staging site; undefined when the site is
 * no copy or its original does not exist any more.
 */
export async function findCopy(
  db: Database,
  site_id: number,
): Promise<{ original_id: number; staging: boolean } | undefined> {
  const [row] = await db.read
    .select({ original_id: site_copies.original_id, staging_id: staging_access.site_id })
    .from(site_copies)
    .leftJoin(staging_access, eq(staging_access.site_id, site_copies.site_id))
    .where(eq(site_copies.site_id, site_id))
  return row && { original_id: row.original_id, staging: row.staging_id !== null }
}

/** Names what a stored source is: the site, or the backup; 0 for one that is not recorded any more. */
export async function namesOfSource(
  { read }: Database,
  server_id: number,
  from: StoredSource,
): Promise<Names> {
  if (from.kind === 'next_backup') return { site_id: from.site_id }
  if (from.kind === 'backup') {
    const { repository, backup, target_id } = from
    const [row] = await read
      .select({ id: backups.id })
      .from(backups)
      .where(
        and(
          eq(backups.target_id, target_id),
          eq(backups.repository, repository),
          eq(backups.snapshot, backup),
        ),
      )
    return { backup_id: row?.id ?? 0 }
  }
  const here = and(eq(sites.server_id, server_id), eq(sites.domain, from.domain))
  const [row] = await read.select({ id: sites.id }).from(sites).where(here)
  return { site_id: row?.id ?? 0 }
}

interface NewCopy {
  original_id: number | undefined
  access: { user: string; password_sealed: string } | undefined
}

export const copyStatements = (
  queries: Queries,
  site_id: SQL<number>,
  { original_id, access }: NewCopy,
): Statement[] => [
  ...(original_id === undefined
    ? []
    : [queries.insert(site_copies).values({ site_id, original_id })]),
  ...(access ? [queries.insert(staging_access).values({ site_id, ...access })] : []),
]

export function findLastBackup(db: Database, site_id: number) {
  return db.read
    .select()
    .from(backups)
    .where(eq(backups.site_id, site_id))
    .orderBy(desc(backups.recorded_at), desc(backups.id))
    .limit(1)
    .get()
}

/** Completes the params of an operation that has not been sent. */
export async function storeParams(
  db: Database,
  { id }: Pick<OperationRow, 'id'>,
  values: Pick<OperationRow, 'params' | 'deadline_at'>,
): Promise<void> {
  const waiting = and(eq(operations.id, id), inArray(operations.status, ['queued', 'running']))
  await db.write((queries) => queries.update(operations).set(values).where(waiting))
}
