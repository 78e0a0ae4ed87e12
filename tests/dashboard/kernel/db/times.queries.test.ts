import { expect, test } from 'bun:test'
import { getScheduled } from '#dashboard/features/backups/coverage.queries.ts'
import { listWaiting } from '#dashboard/features/backups/due.queries.ts'
import { backups } from '#dashboard/kernel/db/backup-schema.ts'
import { operations } from '#dashboard/kernel/db/schema.ts'
import { correctTimes, findNewestTime } from '#dashboard/kernel/db/times.queries.ts'
import { newOperation } from '#dashboard/kernel/engine/enqueue.ts'
import { insertOperation } from '#dashboard/kernel/engine/queries.ts'
import {
  addBackup,
  addServer,
  addSite,
  ago,
  setUp,
} from '#tests/support/dashboard/backup-attention.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const domain = 'shop.example'
const now = new Date(ago(0))

test('times of the future become the current one, so that the newest record is the newest', async () => {
  await using dashboard = await makeDashboard({ clock: new HeldClock() })
  const { db } = dashboard
  await setUp(dashboard)
  const server_id = await addServer(dashboard, 'web1')
  // Recorded by a clock that was 20 days ahead; the clock of the server was right.
  const site_id = await addSite(dashboard, server_id, { domain })
  await addBackup(dashboard, { server_id, site_id, domain, last: -20, at: ago(3) })
  await addBackup(dashboard, { server_id, site_id, domain, last: 1 })

  expect(await correctTimes(db, now)).toBe(1)
  expect(await correctTimes(db, now)).toBe(0)

  const rows = await db.read.select().from(backups)
  expect(rows.map(({ at, recorded_at }) => [at, recorded_at])).toEqual([
    [ago(3), ago(0)],
    [ago(1), ago(1)],
  ])
  const [waiting] = await listWaiting(db, { every: 'daily', per_server: 1, now })
  expect(waiting?.recorded_at).toBe(ago(0))
  const moment = { every: 'daily', proof_every: 'off', now } as const
  expect((await getScheduled(db, site_id, moment)).state).toBe('late')
})

test('operations that have not ended keep their times', async () => {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock })
  const { db, deps } = dashboard
  const id = await addServer(dashboard, 'web1')
  const server = { id, hostname: 'web1.example' }
  const call = { server, params: {}, actor: null, wait_for_agent: false }
  clock.set(20 * 24 * 3600_000)
  const operation = newOperation(deps, { type: 'server.sync', ...call })
  await insertOperation(db, operation, null, () => [])
  clock.set(-20 * 24 * 3600_000)

  await correctTimes(db, now)

  const [row] = await db.read.select().from(operations)
  expect([row?.created_at, await findNewestTime(db)]).toEqual([ago(-20), ago(-20)])
})
