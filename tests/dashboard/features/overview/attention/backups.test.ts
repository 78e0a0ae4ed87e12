import { expect, test } from 'bun:test'
import { operations } from '#dashboard/kernel/db/schema.ts'
import {
  addServer,
  addSite,
  ago,
  itemsOf,
  setUp,
} from '#tests/support/dashboard/backup-attention.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

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
  const reason = 'The disk is full: correct the cause; the backup starts again automatically'
  expect(await itemsOf(dashboard)).toEqual([
    ['backup_failed', 1, [['warning', 'shop.example', reason, 1]]],
  ])
  await add('later', 'success', 0.2)
  expect(await itemsOf(dashboard)).toEqual([])
})
