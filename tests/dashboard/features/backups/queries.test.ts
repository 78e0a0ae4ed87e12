import { expect, test } from 'bun:test'
import {
  listGoneBackups,
  listGoneSites,
} from '#dashboard/features/backups/deleted-sites.queries.ts'
import { listBackups } from '#dashboard/features/backups/queries.ts'
import { backups } from '#dashboard/kernel/db/backup-schema.ts'
import {
  addBackup,
  addServer,
  addSite,
  ago,
  setUp,
} from '#tests/support/dashboard/backup-attention.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

test('a backup that a server dated in the future is not the newest one when another one follows', async () => {
  await using dashboard = await makeDashboard()
  const { db } = dashboard
  await setUp(dashboard)
  const domain = 'shop.example'
  const server_id = await addServer(dashboard, 'web')
  const site_id = await addSite(dashboard, server_id, { domain })
  const forged = await addBackup(dashboard, {
    ...{ server_id, site_id, domain, last: 2, at: ago(-365) },
  })
  const last = await addBackup(dashboard, { server_id, site_id, domain, last: 1 })

  const ids = (await listBackups(db, site_id)).map(({ id }) => id)
  await db.write((queries) => queries.update(backups).set({ site_id: null }))

  expect([ids, (await listGoneBackups(db, domain)).map(({ id }) => id)]).toEqual([
    ...[
      [last, forged],
      [last, forged],
    ],
  ])
  expect(await listGoneSites(db)).toEqual([
    { domain, target: 'Folder', count: 2, last_at: ago(1), backup_id: last, bytes: 1 },
  ])
})
