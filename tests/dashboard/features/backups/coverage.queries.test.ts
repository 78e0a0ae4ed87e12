import { expect, test } from 'bun:test'
import { listCoverage } from '#dashboard/features/backups/coverage.queries.ts'
import {
  addBackup,
  addServer,
  addSite,
  ago,
  setUp,
} from '#tests/support/dashboard/backup-attention.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

test('a backup from a clock that is ahead is shown with the time at which it was recorded', async () => {
  await using dashboard = await makeDashboard()
  await setUp(dashboard)
  const domain = 'shop.example'
  const server_id = await addServer(dashboard, 'web')
  const site_id = await addSite(dashboard, server_id, { domain })
  await addBackup(dashboard, { server_id, site_id, domain, last: 1, at: ago(-365) })

  const moment = { every: 'daily', proof_every: 'weekly', now: new Date(ago(0)) } as const
  const [sites] = await listCoverage(dashboard.db, { page: 1, per_page: 50 }, moment)

  expect(sites).toMatchObject([{ domain, state: 'ok', last_at: ago(1) }])
})
