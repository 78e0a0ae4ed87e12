import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { backup_proofs, backup_settings } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import type { BackupInterval } from '#shared/backups/backup-schedule.ts'
import { isNotTried, isReachable } from './attempts.queries.ts'
import { isCovered, lastId, lastProofId } from './coverage.queries.ts'
import { everyOf } from './effective.queries.ts'

const newestBackupId = sql<number>`${lastId}`

function selectProvable(db: Database, condition: SQL | undefined) {
  return db.read
    .select({
      id: sites.id,
      server_id: sites.server_id,
      domain: sites.domain,
      newest_id: newestBackupId,
      proof: {
        recorded_at: backup_proofs.recorded_at,
        proven: backup_proofs.proven,
        backup_id: backup_proofs.backup_id,
      },
      failed_at: sql<string | null>`(select case when status = 'failed' then finished_at end
        from operations indexed by operations_site
        where operations.site_id = sites.id and operations.type = 'backup.prove'
          and operations.status in ('success', 'failed')
        order by operations.created_at desc limit 1)`,
    })
    .from(sites)
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
    .leftJoin(backup_proofs, eq(backup_proofs.id, lastProofId))
    .where(and(isCovered, sql`${newestBackupId} is not null`, condition))
    .orderBy(asc(backup_proofs.recorded_at), asc(sites.id))
}

export type ProvableSite = Awaited<ReturnType<typeof selectProvable>>[number]

/**
 * Lists the sites that wait for a proof: with automatic backups, on servers that can answer,
 * without a backup or a proof now, and without an attempt that has just failed; the oldest proof
 * first.
 */
export function listProvable(
  db: Database,
  { every, now }: { every: BackupInterval; now: Date },
): Promise<ProvableSite[]> {
  return selectProvable(
    db,
    and(
      sql`${everyOf(every)} <> 'off'`,
      isReachable,
      sql`${sites.id} not in (select site_id from operations
        where status in ('queued', 'running') and site_id is not null)`,
      isNotTried('backup.prove', now),
    ),
  )
}

/** Returns the site for the schedule of its proofs; undefined without (automatic) backups. */
export async function findProvable(
  db: Database,
  site_id: number,
  { every }: { every: BackupInterval },
): Promise<ProvableSite | undefined> {
  const [row] = await selectProvable(
    db,
    and(eq(sites.id, site_id), sql`${everyOf(every)} <> 'off'`),
  )
  return row
}
