import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { backup_targets } from '#dashboard/db/backup-schema.ts'
import { activities } from '#dashboard/db/schema.ts'
import { saveOffSite } from '#dashboard/off-site/save-off-site.ts'
import { findRequest } from '#dashboard/off-site/state.queries.ts'
import { confirmKit } from '#tests/support/dashboard/backups.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const AT = '/api/fleet/dashboard-backup'
const NOW = '2026-01-01T00:00:00.000Z'

const addTarget = (dashboard: Dashboard) =>
  dashboard.call('POST', '/api/backup-targets', {
    ...{ name: 'Disk', place: { kind: 'local', path: '/mnt/none' } },
  })
const check = ({ db }: Dashboard) =>
  db.write((queries) => queries.update(backup_targets).set({ checked_at: NOW }))
/** As the dashboard does every ten minutes; the folder of the target does not exist. */
const sweep = ({ deps, folder }: Dashboard) =>
  saveOffSite({ ...deps, data_dir: folder, stall_ms: 1000, backUp: async () => undefined })

test('what is missing for a backup of the dashboard is named, one after the other', async () => {
  await using dashboard = await makeDashboard()
  const refused: string[] = []
  const ask = async () => {
    const { status, body } = await dashboard.call('POST', AT)
    const shown = (await dashboard.call('GET', AT)).body.backup
    expect([status, body.message]).toEqual([
      409,
      `The records cannot be backed up: ${shown.obstacle}`,
    ])
    refused.push(shown.obstacle)
  }

  await ask()
  await confirmKit(dashboard)
  await ask()
  await addTarget(dashboard)
  await ask()

  expect(refused).toEqual([
    'confirm a recovery kit first',
    'add a backup target first',
    'check the target Disk from a server first',
  ])
})

test('a requested backup is made before its day, once, and its result is shown', async () => {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock })
  await confirmKit(dashboard)
  await addTarget(dashboard)
  await check(dashboard)
  await sweep(dashboard)
  const attempts = () => dashboard.log.filter((line) => line.includes('could not be saved')).length
  await sweep(dashboard)
  expect(attempts()).toBe(1)

  const { status, body } = await dashboard.call('POST', AT)
  expect([status, body.requested_at]).toEqual([202, NOW])
  await sweep(dashboard)
  await sweep(dashboard)

  expect([attempts(), await findRequest(dashboard.db)]).toEqual([2, undefined])
  expect((await dashboard.call('GET', AT)).body.backup).toEqual({
    ...{ target: 'Disk', obstacle: null, requested_at: null, tried_at: NOW, saved_at: null },
    error: expect.stringContaining('cannot write to /mnt/none'),
    error_code: 'failed',
  })
  const entries = await dashboard.db.read
    .select({ user_id: activities.user_id, status: activities.status })
    .from(activities)
    .where(eq(activities.type, 'backup.dashboard'))
  expect(entries).toEqual([{ user_id: 1, status: 'success' }])
})

test('a request whose target cannot be used any more ends as failed, with the reason', async () => {
  await using dashboard = await makeDashboard({ clock: new HeldClock() })
  await confirmKit(dashboard)
  await addTarget(dashboard)
  await check(dashboard)
  await dashboard.call('POST', AT)
  await dashboard.db.write((queries) => queries.update(backup_targets).set({ checked_at: null }))

  await sweep(dashboard)

  const obstacle = 'check the target Disk from a server first'
  expect((await dashboard.call('GET', AT)).body.backup).toEqual({
    ...{ target: 'Disk', obstacle, requested_at: null, tried_at: NOW, saved_at: null },
    ...{ error: `The records cannot be backed up: ${obstacle}`, error_code: 'not_ready' },
  })
})
