import { expect, test } from 'bun:test'
import { backup_kits, backup_targets, backups } from '#dashboard/db/backup-schema.ts'
import { operations, servers, sites } from '#dashboard/db/schema.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const DAY_MS = 24 * 3600_000
/** The clock stands at the first moment of 2026. */
const ago = (days: number) =>
  new Date(Date.parse('2026-01-01T00:00:00.000Z') - days * DAY_MS).toISOString()

async function addServer({ db }: Dashboard, name: string): Promise<number> {
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
async function addSite(
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
  if (last === undefined) return site_id
  const sizes = { files: 1, bytes: 1, stored: 1, tables: 1, seconds: 1 }
  const place = { target_id: 1, repository: 's', snapshot: '1'.repeat(64) }
  const times = { at: ago(last), recorded_at: ago(last) }
  await db.write((queries) =>
    queries.insert(backups).values({ site_id, server_id, domain, ...place, ...times, ...sizes }),
  )
  return site_id
}

async function setUp({ db }: Dashboard): Promise<void> {
  const times = { created_at: ago(60), confirmed_at: ago(60) }
  const keys = { recovery_key: '', dashboard_key: '', dashboard_key_sealed: '', challenge_hash: '' }
  await db.write((queries) => queries.insert(backup_kits).values({ ...keys, ...times }))
  const place = { kind: 'local', path: '/mnt/backup' } as const
  const rest = { secret_sealed: '', is_default: true, checked_at: ago(60), created_at: ago(60) }
  await db.write((queries) =>
    queries.insert(backup_targets).values({ name: 'Folder', place, ...rest }),
  )
}

async function itemsOf(dashboard: Dashboard) {
  const { body } = await dashboard.call('GET', '/api/fleet')
  const groups: { kind: string; total: number; items: Record<string, unknown>[] }[] = body.attention
  return groups
    .filter(({ kind }) => kind.startsWith('backup_'))
    .map(({ kind, total, items }) => [
      ...[kind, total],
      items.map(({ severity, name, reason, count }) => [severity, name, reason, count]),
    ])
}

test('backups that cannot start are one suggestion, once there are sites', async () => {
  await using dashboard = await makeDashboard({ clock: new HeldClock() })
  const server_id = await addServer(dashboard, 'web1')
  expect(await itemsOf(dashboard)).toEqual([])

  await addSite(dashboard, server_id, { domain: 'shop.example' })

  const reason =
    'Sites are not backed up, since no recovery kit is confirmed: create one on the page Backups, and store it safely'
  expect(await itemsOf(dashboard)).toEqual([
    ['backup_setup', 1, [['info', 'Backups of sites', reason, 1]]],
  ])
  await dashboard.call('PUT', '/api/settings/backup_every', { value: 'off' })
  expect(await itemsOf(dashboard)).toEqual([])
})

test('late backups are an item of their site, or one of their server', async () => {
  await using dashboard = await makeDashboard({ clock: new HeldClock() })
  await setUp(dashboard)
  const [one, two] = [await addServer(dashboard, 'web1'), await addServer(dashboard, 'web2')]
  await addSite(dashboard, one, { domain: 'late.example', last: 3 })
  await addSite(dashboard, one, { domain: 'fine.example', last: 1.9 })
  await addSite(dashboard, one, { domain: 'new.example', age: 1 })
  await addSite(dashboard, two, { domain: 'never.example', age: 8 })
  await addSite(dashboard, two, { domain: 'later.example', last: 3 })

  expect(await itemsOf(dashboard)).toEqual([
    [
      ...['backup_late', 3],
      [
        [
          ...['critical', 'web2'],
          '2 sites have no recent backup (never.example has never been backed up): look at the page Backups for the reasons',
          2,
        ],
        [
          ...['warning', 'late.example'],
          'The site was backed up last on 2025-12-29: look at its page Backups for the reason',
          1,
        ],
      ],
    ],
  ])
})

test('a failed backup is reported with its reason until a later one, and not as a failed operation too', async () => {
  await using dashboard = await makeDashboard({ clock: new HeldClock() })
  await setUp(dashboard)
  const server_id = await addServer(dashboard, 'web1')
  const site_id = await addSite(dashboard, server_id, { domain: 'shop.example', last: 1 })
  const add = (id: string, status: 'failed' | 'success', days: number) =>
    dashboard.db.write((queries) =>
      queries.insert(operations).values({
        ...{ id, type: 'backup.create', server_id, site_id, domain: 'shop.example', params: {} },
        ...{ status, created_at: ago(days), finished_at: ago(days), deadline_at: ago(days) },
        ...(status === 'failed' && { error: { error: 'Conflict', message: 'The disk is full.' } }),
      }),
    )
  await add('failed', 'failed', 0.5)

  const { body } = await dashboard.call('GET', '/api/fleet')
  const kinds = body.attention.map(({ kind }: { kind: string }) => kind)
  expect(kinds).toContain('backup_failed')
  expect(kinds).not.toContain('operation_failed')
  const reason = 'The disk is full: correct the cause; the backup starts again by itself'
  expect(await itemsOf(dashboard)).toEqual([
    ['backup_failed', 1, [['warning', 'shop.example', reason, 1]]],
  ])
  await add('later', 'success', 0.2)
  expect(await itemsOf(dashboard)).toEqual([])
})
