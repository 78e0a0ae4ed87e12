import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm'
import { backup_targets, backups } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { GoneSite } from '#shared/backups/api/backup-coverage.ts'

const MAX_GONE_SITES = 500

/** Lists deleted sites with their backups. The last one is that by the clock of the dashboard. */
export async function listGoneSites(db: Database): Promise<GoneSite[]> {
  const { domain, target_id } = backups
  const recorded_at = sql<string>`max(${backups.recorded_at})`
  const rows = await db.read
    .select({
      domain,
      target: backup_targets.name,
      count: sql<number>`count(*)`,
      recorded_at,
      // SQLite takes these from the row with the maximum.
      last_at: sql<string>`min(${backups.at}, ${backups.recorded_at})`,
      backup_id: backups.id,
      bytes: backups.bytes,
    })
    .from(backups)
    .innerJoin(backup_targets, eq(backup_targets.id, target_id))
    .where(and(isNull(backups.site_id), isNull(backups.gone_at)))
    .groupBy(domain, target_id)
    .orderBy(desc(recorded_at), asc(domain))
    .limit(MAX_GONE_SITES)
  return rows.map(({ recorded_at: _, ...row }) => row)
}

export function listGoneBackups(db: Database, domain: string) {
  const { id, at, bytes } = backups
  return db.read
    .select({ id, at, bytes, target: backup_targets.name })
    .from(backups)
    .innerJoin(backup_targets, eq(backup_targets.id, backups.target_id))
    .where(and(isNull(backups.site_id), isNull(backups.gone_at), eq(backups.domain, domain)))
    .orderBy(desc(backups.recorded_at), desc(id))
    .limit(MAX_GONE_SITES)
}
