import { expect, test } from 'bun:test'
import { namesOfSource } from '#dashboard/features/copies/queries.ts'
import { backups } from '#dashboard/kernel/db/backup-schema.ts'
import { twoServers } from '#tests/support/dashboard/copies.ts'

test('what a copy copies is named by its record, and what has none by 0', async () => {
  await using all = await twoServers()
  const { dashboard, first, second, shop } = all
  const made = await dashboard.send('POST', `/api/servers/${first}/sites/${shop}/backups`, {})
  await made.text()
  const [row] = await dashboard.db.read.select().from(backups)
  const stored = { kind: 'backup', repository: String(row?.repository), secret_sealed: '' } as const
  const place = { kind: 'local', path: '/mnt/store' } as const
  const backup = {
    ...stored,
    place,
    target_id: Number(row?.target_id),
    backup: String(row?.snapshot),
  }
  const names = (server: number, from: Parameters<typeof namesOfSource>[2]) =>
    namesOfSource(dashboard.db, server, from)

  expect([
    await names(first, { kind: 'site', domain: 'shop.example' }),
    await names(second, { kind: 'site', domain: 'shop.example' }),
    await names(second, { kind: 'next_backup', site_id: shop }),
    await names(second, backup),
    await names(second, { ...backup, backup: '0'.repeat(64) }),
    await names(second, { ...backup, target_id: 99 }),
  ]).toEqual([
    { site_id: shop },
    { site_id: 0 },
    { site_id: shop },
    { backup_id: Number(row?.id) },
    { backup_id: 0 },
    { backup_id: 0 },
  ])
})
