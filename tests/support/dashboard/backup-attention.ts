import { backup_kits, backup_targets, backups } from '#dashboard/kernel/db/backup-schema.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import type { Dashboard } from './dashboard.ts'

const DAY_MS = 24 * 3600_000
/** The clock is at the first moment of 2026. */
export const ago = (days: number) =>
  new Date(Date.parse('2026-01-01T00:00:00.000Z') - days * DAY_MS).toISOString()

export async function addServer({ db }: Dashboard, name: string): Promise<number> {
  const known = { hostname: `${name}.example`, port: 8443, user: 'root', tags: [] }
  const [row] = await db.write((queries) =>
    queries
      .insert(servers)
      .values({ name, ...known, status: 'online', created_at: ago(1) })
      .returning({ id: servers.id }),
  )
  return row?.id ?? 0
}

/** A site of some age, last backed up some days ago. */
export async function addSite(
  { db }: Dashboard,
  server_id: number,
  { domain, age = 30, last }: { domain: string; age?: number; last?: number },
): Promise<number> {
  const kind = { php: '8.4', tier: 'small', tls: 'none', managed: true, status: 'active' } as const
  const [row] = await db.write((queries) =>
    queries
      .insert(sites)
      .values({ server_id, domain, apex: domain, user: 's', created_at: ago(age), ...kind })
      .returning({ id: sites.id }),
  )
  const site_id = row?.id ?? 0
  if (last !== undefined) await addBackup({ db }, { server_id, site_id, domain, last })
  return site_id
}

/** Returns its id. */
export async function addBackup(
  { db }: Pick<Dashboard, 'db'>,
  of: { server_id: number; site_id: number; domain: string; last: number; at?: string },
): Promise<number> {
  const { server_id, site_id, domain, last, at = ago(last) } = of
  const sizes = { files: 1, bytes: 1, stored: 1, tables: 1, seconds: 1 }
  const place = { target_id: 1, repository: 's', snapshot: '1'.repeat(64) }
  const times = { at, recorded_at: ago(last) }
  const [row] = await db.write((queries) =>
    queries
      .insert(backups)
      .values({ site_id, server_id, domain, ...place, ...times, ...sizes })
      .returning({ id: backups.id }),
  )
  return row?.id ?? 0
}

export async function setUp({ db }: Dashboard): Promise<void> {
  const times = { created_at: ago(60), confirmed_at: ago(60) }
  const keys = { recovery_key: '', dashboard_key: '', dashboard_key_sealed: '', challenge_hash: '' }
  await db.write((queries) => queries.insert(backup_kits).values({ ...keys, ...times }))
  const place = { kind: 'local', path: '/mnt/backup' } as const
  const rest = { secret_sealed: '', is_default: true, checked_at: ago(60), created_at: ago(60) }
  await db.write((queries) =>
    queries.insert(backup_targets).values({ name: 'Folder', place, ...rest }),
  )
}

export async function itemsOf(dashboard: Dashboard) {
  const { body } = await dashboard.call('GET', '/api/fleet')
  const groups: { kind: string; total: number; items: Record<string, unknown>[] }[] = body.attention
  return groups
    .filter(({ kind }) => kind.startsWith('backup_'))
    .map(({ kind, total, items }) => [
      ...[kind, total],
      items.map(({ severity, name, reason, count }) => [severity, name, reason, count]),
    ])
}
