import { and, asc, desc, eq, gt, gte, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { backupFirstOf } from '#dashboard/features/backups/effective.queries.ts'
import { backup_settings, backups } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { operations, sites } from '#dashboard/kernel/db/schema.ts'
import { isExcluded } from '#dashboard/kernel/engine/queries.ts'

/** Whether the site is in use and has backups before changes, where it can have backups at all. */
export async function isBackupWanted(
  db: Database,
  site_id: number,
  fallback: boolean,
): Promise<boolean> {
  return (await listWanting(db, eq(sites.id, site_id), fallback)).length > 0
}

/** A period between two ISO times. */
export interface TimePeriod {
  from: string
  to: string
}

/** Lists the sites of a server that want a backup, and have none in that period. */
export const listUnsaved = (
  db: Database,
  server_id: number,
  fallback: boolean,
  { from, to }: TimePeriod,
): Promise<number[]> => {
  const isSaved = sql`exists (select 1 from backups where backups.site_id = sites.id
    and gone_at is null and recorded_at > ${from} and at > ${from}
    and recorded_at <= ${to} and at <= ${to})`
  return listWanting(db, sql`${sites.server_id} = ${server_id} and not ${isSaved}`, fallback)
}

async function listWanting(db: Database, which: SQL, fallback: boolean): Promise<number[]> {
  const rows = await db.read
    .select({ id: sites.id })
    .from(sites)
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
    .where(
      and(
        which,
        eq(sites.found, false),
        inArray(sites.status, ['active', 'suspended']),
        backupFirstOf(fallback),
      ),
    )
    .orderBy(asc(sites.id))
  return rows.map(({ id }) => id)
}

/** Whether a backup that is still in its repository was made and recorded in that period. */
export async function hasBackupIn(
  db: Database,
  site_id: number,
  { from, to }: TimePeriod,
): Promise<boolean> {
  const row = await db.read
    .select({ id: backups.id })
    .from(backups)
    .where(
      and(
        eq(backups.site_id, site_id),
        gt(backups.recorded_at, from),
        gt(backups.at, from),
        lte(backups.recorded_at, to),
        lte(backups.at, to),
        isNull(backups.gone_at),
      ),
    )
    .limit(1)
    .get()
  return row !== undefined
}

/** Returns the newest backup operation of a site that was started at that time or later. */
export function findBackingUp(
  db: Database,
  site_id: number,
  since: string,
): Promise<OperationRow | undefined> {
  const { created_at, type } = operations
  return db.read
    .select()
    .from(operations)
    .where(and(eq(operations.site_id, site_id), eq(type, 'backup.create'), gte(created_at, since)))
    .orderBy(desc(created_at))
    .limit(1)
    .get()
}

/**
 * Marks an operation that no longer waits for a backup. Returns false while another backup of the
 * site runs, which the constraint decides.
 */
export async function markBackedUp(
  db: Database,
  { id }: Pick<OperationRow, 'id'>,
  deadline_at: string,
): Promise<boolean> {
  const waiting = and(eq(operations.id, id), inArray(operations.status, ['queued', 'running']))
  const set = { backup_first: 'done', deadline_at } as const
  try {
    await db.write((queries) => queries.update(operations).set(set).where(waiting))
    return true
  } catch (error) {
    if (isExcluded(error)) return false
    throw error
  }
}
