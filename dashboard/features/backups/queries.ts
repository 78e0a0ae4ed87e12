import { and, count, desc, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm'
import { backup_proofs, backup_targets, backups } from '#dashboard/kernel/db/backup-schema.ts'
import { batch, type Database, type Queries, type Statement } from '#dashboard/kernel/db/client.ts'
import { backup_repositories } from '#dashboard/kernel/db/repositories-schema.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities } from '#dashboard/kernel/db/schema.ts'
import type { BackupView } from '#shared/backups/api/backups.ts'
import { type BegunRepository, begunStatement, type RepositoryRow } from './repositories.queries.ts'

const MAX_BACKUPS = 500

export type TargetRow = typeof backup_targets.$inferSelect
type NewTarget = typeof backup_targets.$inferInsert
export type BackupRow = typeof backups.$inferSelect
type NewBackup = typeof backups.$inferInsert

export async function listTargets(db: Database) {
  const { id, name, place, is_default, checked_at, append_only, keeper_key, created_at } =
    backup_targets
  return db.read
    .select({
      id,
      name,
      place,
      is_default,
      checked_at,
      append_only,
      keeper_key,
      backups: count(backups.id),
      created_at,
    })
    .from(backup_targets)
    .leftJoin(backups, and(eq(backups.target_id, id), isNull(backups.gone_at)))
    .groupBy(id)
    .orderBy(name)
}

/** Lists the targets with a keeper by name, and whether they have backups, uncounted. */
export async function listKept(db: Database) {
  const { id, name, place, keeper_key, created_at } = backup_targets
  const has_backups = sql<boolean>`exists (select 1 from backups
    where backups.target_id = backup_targets.id and backups.gone_at is null)`.mapWith(Boolean)
  return db.read
    .select({ id, name, place, keeper_key, has_backups, created_at })
    .from(backup_targets)
    .where(isNotNull(keeper_key))
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
      queries.delete(backups).where(and(eq(backups.target_id, id), isNotNull(backups.gone_at))),
      queries.delete(backup_repositories).where(eq(backup_repositories.target_id, id)),
      queries.delete(backup_targets).where(eq(backup_targets.id, id)),
      queries.insert(activities).values(entry),
    ]),
  )
}

export const checkedStatement = (
  queries: Queries,
  id: number,
  checked: { checked_at: string; append_only: boolean },
): Statement => queries.update(backup_targets).set(checked).where(eq(backup_targets.id, id))

export async function findRepository(
  db: Database,
  target_id: number,
  name: string,
): Promise<RepositoryRow | undefined> {
  const [row] = await db.read
    .select()
    .from(backup_repositories)
    .where(and(eq(backup_repositories.target_id, target_id), eq(backup_repositories.name, name)))
  return row
}

export function backupStatements(
  queries: Queries,
  backup: NewBackup,
  repository: BegunRepository,
): Statement[] {
  const { repository: place, snapshot } = backups
  return [
    begunStatement(queries, repository),
    // A refreshed list may have found it before its operation ended.
    queries
      .delete(backups)
      .where(
        and(
          eq(backups.target_id, backup.target_id),
          eq(place, backup.repository),
          eq(snapshot, backup.snapshot),
        ),
      ),
    queries.insert(backups).values(backup),
  ]
}

const lastProof = sql`(select id from backup_proofs where backup_proofs.backup_id = backups.id
  order by id desc limit 1)`

/** Whether the server has dated a backup ahead of the clock of the dashboard. */
const isAhead = sql`julianday(${backups.at}) - julianday(${backups.recorded_at}) > 1.0 / 24`

/** Lists the backups of a site in their targets, newest first by the clock of the dashboard. */
export async function listBackups(db: Database, site_id: number): Promise<BackupView[]> {
  const { id, at, target_id, files, tables, bytes, stored, seconds, excluded } = backups
  return db.read
    .select({
      id,
      at,
      is_ahead: isAhead.mapWith(Boolean),
      target_id,
      target: backup_targets.name,
      files,
      tables,
      bytes,
      stored,
      seconds,
      excluded,
      proof: {
        at: backup_proofs.at,
        proven: backup_proofs.proven,
        findings: backup_proofs.findings,
        files: backup_proofs.files,
        tables: backup_proofs.tables,
        rows: backup_proofs.rows,
        pages: sql<number>`json_array_length(${backup_proofs.pages})`,
        seconds: backup_proofs.seconds,
      },
    })
    .from(backups)
    .innerJoin(backup_targets, eq(backup_targets.id, target_id))
    .leftJoin(backup_proofs, eq(backup_proofs.id, lastProof))
    .where(and(eq(backups.site_id, site_id), isNull(backups.gone_at)))
    .orderBy(desc(backups.recorded_at), desc(id))
    .limit(MAX_BACKUPS)
}

export async function findBackup(db: Database, site_id: number, id: number) {
  const [row] = await db.read
    .select()
    .from(backups)
    .where(and(eq(backups.site_id, site_id), eq(backups.id, id)))
  return row
}

export async function findBackupById(db: Database, id: number): Promise<BackupRow | undefined> {
  const [row] = await db.read.select().from(backups).where(eq(backups.id, id))
  return row
}
