import { and, count, desc, eq, ne } from 'drizzle-orm'
import {
  backup_repositories,
  backup_restores,
  backup_targets,
  backups,
} from '#dashboard/db/backup-schema.ts'
import { batch, type Database, type Queries, type Statement } from '#dashboard/db/client.ts'
import type { NewActivity } from '#dashboard/db/rows.ts'
import { activities } from '#dashboard/db/schema.ts'
import type { BackupTargetView, BackupView } from '#shared/api/backups.ts'

const MOST = 500

export type TargetRow = typeof backup_targets.$inferSelect
type NewTarget = typeof backup_targets.$inferInsert
type NewBackup = typeof backups.$inferInsert
type Repository = typeof backup_repositories.$inferSelect

/** By name. */
export async function listTargets(db: Database): Promise<BackupTargetView[]> {
  const { id, name, place, is_default, checked_at, append_only, created_at } = backup_targets
  return db.read
    .select({
      ...{ id, name, place, is_default, checked_at, append_only },
      backups: count(backups.id),
      created_at,
    })
    .from(backup_targets)
    .leftJoin(backups, eq(backups.target_id, id))
    .groupBy(id)
    .orderBy(name)
}

export async function findTarget(db: Database, id: number): Promise<TargetRow | undefined> {
  const [row] = await db.read.select().from(backup_targets).where(eq(backup_targets.id, id))
  return row
}

export async function findDefaultTarget(db: Database): Promise<TargetRow | undefined> {
  const [row] = await db.read
    .select()
    .from(backup_targets)
    .where(eq(backup_targets.is_default, true))
  return row
}

export const insertTarget = (db: Database, values: NewTarget, entry: NewActivity) =>
  db.write((queries) =>
    queries.batch([
      queries.insert(backup_targets).values(values).returning({ id: backup_targets.id }),
      queries.insert(activities).values(entry),
    ]),
  )

export async function updateTarget(
  db: Database,
  id: number,
  values: Partial<NewTarget>,
  entry: NewActivity,
): Promise<void> {
  const others = and(ne(backup_targets.id, id), eq(backup_targets.is_default, true))
  await db.write((queries) =>
    batch(queries, [
      ...(values.is_default
        ? [queries.update(backup_targets).set({ is_default: false }).where(others)]
        : []),
      queries.update(backup_targets).set(values).where(eq(backup_targets.id, id)),
      queries.insert(activities).values(entry),
    ]),
  )
}

export async function deleteTarget(db: Database, id: number, entry: NewActivity): Promise<void> {
  await db.write((queries) =>
    queries.batch([
      queries.delete(backup_repositories).where(eq(backup_repositories.target_id, id)),
      queries.delete(backup_targets).where(eq(backup_targets.id, id)),
      queries.insert(activities).values(entry),
    ]),
  )
}

/** For the batch of a successful check. */
export const checkedStatement = (
  queries: Queries,
  id: number,
  checked: { checked_at: string; append_only: boolean },
): Statement => queries.update(backup_targets).set(checked).where(eq(backup_targets.id, id))

export async function findRepository(
  db: Database,
  target_id: number,
  name: string,
): Promise<Repository | undefined> {
  const [row] = await db.read
    .select()
    .from(backup_repositories)
    .where(and(eq(backup_repositories.target_id, target_id), eq(backup_repositories.name, name)))
  return row
}

/** For the batch of a successful backup. */
export function backupStatements(
  queries: Queries,
  backup: NewBackup,
  repository: Repository,
): Statement[] {
  const { target_id, name } = backup_repositories
  return [
    queries.insert(backups).values(backup),
    queries
      .insert(backup_repositories)
      .values(repository)
      .onConflictDoUpdate({ target: [target_id, name], set: repository }),
  ]
}

/** Newest first. */
export async function listBackups(db: Database, site_id: number): Promise<BackupView[]> {
  const { id, at, target_id, files, tables, bytes, stored, seconds } = backups
  return db.read
    .select({
      id,
      at,
      target_id,
      target: backup_targets.name,
      files,
      tables,
      bytes,
      stored,
      seconds,
    })
    .from(backups)
    .innerJoin(backup_targets, eq(backup_targets.id, target_id))
    .where(eq(backups.site_id, site_id))
    .orderBy(desc(at), desc(id))
    .limit(MOST)
}

/** A backup of a site. */
export async function findBackup(db: Database, site_id: number, id: number) {
  const [row] = await db.read
    .select()
    .from(backups)
    .where(and(eq(backups.site_id, site_id), eq(backups.id, id)))
  return row
}

export async function findRestore(db: Database, site_id: number) {
  const { at, until } = backup_restores
  const [row] = await db.read
    .select({ at, until })
    .from(backup_restores)
    .where(eq(backup_restores.site_id, site_id))
  return row
}

/** For the batch of a restore, or of its undo: null. */
export function restoreStatements(
  queries: Queries,
  site_id: number,
  restore: { at: string; until: string } | null,
): Statement[] {
  const gone = queries.delete(backup_restores).where(eq(backup_restores.site_id, site_id))
  return restore ? [gone, queries.insert(backup_restores).values({ site_id, ...restore })] : [gone]
}
