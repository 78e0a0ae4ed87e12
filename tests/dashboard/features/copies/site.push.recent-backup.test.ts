import { expect, test } from 'bun:test'
import { refuseWithoutBackup } from '#dashboard/features/copies/site.push.ts'
import {
  addSite,
  backupAgent,
  checkedTarget,
  confirmKit,
  streamed,
} from '#tests/support/dashboard/backups.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const MINUTE_MS = 60_000

test('a site that can be backed up needs a backup of the last hour', async () => {
  const { agent } = backupAgent({ now: () => new Date() })
  await using _ = agent
  await using dashboard = await makeDashboard()
  const { db } = dashboard
  const server_id = await dashboard.addServer(agent)
  const backups = await addSite(dashboard, server_id)
  const site = { id: Number(/(\d+)\/backups$/.exec(backups)?.[1]), domain: 'shop.example' }
  const clock = new HeldClock()
  clock.set(Date.now() - clock.now().getTime())
  const refusal = () =>
    refuseWithoutBackup({ db, clock }, site).then(
      () => 'none',
      (error) => error.body.code ?? error,
    )

  const without = await refusal()
  await confirmKit(dashboard)
  await checkedTarget(dashboard, server_id)
  const never = await refusal()
  await streamed(dashboard, backups)
  const recent = await refusal()
  clock.move(61 * MINUTE_MS)
  const earlier = await refusal()

  expect([without, never, recent, earlier]).toEqual([
    'none',
    'backup_needed',
    'none',
    'backup_needed',
  ])
})
