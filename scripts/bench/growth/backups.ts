import { sql } from 'drizzle-orm'
import { backup_kits, backup_targets } from '#dashboard/db/backup-schema.ts'
import type { Database } from '#dashboard/db/client.ts'

const DAY_MS = 24 * 3600_000
/** Of each site: the last days. A backup that is proven, and later ones. */
const BACKUPS = 5

/** Recent backups of all sites in use in one target, and a proof of the first of each site. */
export async function addBackups(db: Database): Promise<void> {
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
  const times = { created_at: ago(60), confirmed_at: ago(60) }
  const keys = { recovery_key: '', dashboard_key: '', dashboard_key_sealed: '', challenge_hash: '' }
  const place = { kind: 'local', path: '/mnt/backup' } as const
  const checked = { is_default: true, checked_at: ago(60), created_at: ago(60) }
  await db.write((queries) => queries.insert(backup_kits).values({ ...keys, ...times }))
  await db.write((queries) =>
    queries
      .insert(backup_targets)
      .values({ name: 'Storage', place, secret_sealed: '', ...checked }),
  )
  for (let days = BACKUPS - 1; days >= 0; days--) {
    const at = ago(days)
    await db.write((queries) =>
      queries.run(sql`insert into backups (site_id, server_id, domain, target_id, repository, snapshot,
          at, recorded_at, files, bytes, stored, tables, seconds)
        select id, server_id, domain, 1, user, user || ${days}, ${at}, ${at}, 1, 1, 1, 1, 1
        from sites where status = 'active'`),
    )
  }
  await db.write((queries) =>
    queries.run(sql`insert into backup_proofs (backup_id, site_id, server_id, at, recorded_at, proven,
        findings, rows, tables, files, bytes, pages, seconds)
      select min(id), site_id, server_id, at, at, 1, '[]', 1, 1, 1, 1, '[]', 1
      from backups group by site_id`),
  )
}
