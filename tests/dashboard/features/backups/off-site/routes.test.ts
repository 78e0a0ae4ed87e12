import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { saveOffSite } from '#dashboard/features/backups/off-site/save-off-site.ts'
import { findRequest } from '#dashboard/features/backups/off-site/state.queries.ts'
import { deleteOwnTarget } from '#dashboard/features/backups/off-site/target.queries.ts'
import { activities, settings } from '#dashboard/kernel/db/schema.ts'
import { confirmKit, place, SECRET } from '#tests/support/dashboard/backups.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const AT = '/api/fleet/dashboard-backup'
const NOW = '2026-01-01T00:00:00.000Z'
const LOCAL = { kind: 'local', path: '/mnt/none' }
const TARGET = { place: LOCAL, keeper_key: null, checked_at: null }
const EMPTY = {
  ...{ target: null, obstacle: null, requested_at: null, tried_at: null },
  ...{ saved_at: null, error: null, error_code: null, release_key: null },
}

const addTarget = (dashboard: Dashboard) => dashboard.call('PUT', `${AT}/target`, { place: LOCAL })
const shown = async (dashboard: Dashboard) => (await dashboard.call('GET', AT)).body.backup
/** As the dashboard does every ten minutes; the folder of the target does not exist. */
const sweep = ({ deps, folder }: Dashboard) =>
  saveOffSite({ ...deps, data_dir: folder, stall_ms: 1000, backUp: async () => undefined })

test('what is missing for a backup of the dashboard is named, one after the other', async () => {
  await using dashboard = await makeDashboard()
  const refused: string[] = []
  const ask = async () => {
    for (const path of [AT, `${AT}/check`]) {
      const { status, body } = await dashboard.call('POST', path)
      const { obstacle } = await shown(dashboard)
      expect([status, body.message]).toEqual([409, `The records cannot be backed up: ${obstacle}`])
    }
    refused.push((await shown(dashboard)).obstacle)
  }

  await ask()
  await confirmKit(dashboard)
  await ask()
  await dashboard.call('POST', '/api/backup-targets', { name: 'Sites', place, secret: SECRET })
  await ask()

  expect(refused).toEqual([
    'confirm a recovery kit first',
    'add a target for the dashboard first, which no server can read',
    'add a target for the dashboard first, which no server can read',
  ])
  await addTarget(dashboard)
  expect((await shown(dashboard)).obstacle).toBeNull()
})

test('a new target is checked at once, and saved to as soon as the check succeeds', async () => {
  await using dashboard = await makeDashboard({ clock: new HeldClock() })
  await confirmKit(dashboard)

  const { status, body } = await addTarget(dashboard)
  expect([status, body]).toEqual([200, { ...EMPTY, target: TARGET, requested_at: NOW }])
  expect(await findRequest(dashboard.db)).toEqual({ at: NOW, only_check: true })
  await sweep(dashboard)

  expect(await shown(dashboard)).toEqual({
    ...{ ...EMPTY, target: TARGET, tried_at: NOW, error_code: 'failed' },
    error: expect.stringContaining('cannot write to /mnt/none'),
  })
})

test('a requested backup is made before its day, once, and its result is shown', async () => {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock })
  await confirmKit(dashboard)
  await addTarget(dashboard)
  await sweep(dashboard)
  const attempts = () => dashboard.log.filter((line) => line.includes('could not be saved')).length
  await sweep(dashboard)
  expect(attempts()).toBe(1)

  const { status, body } = await dashboard.call('POST', AT)
  expect([status, body.requested_at]).toEqual([202, NOW])
  await sweep(dashboard)
  await sweep(dashboard)

  expect([attempts(), await findRequest(dashboard.db)]).toEqual([2, undefined])
  expect(await shown(dashboard)).toEqual({
    ...{ ...EMPTY, target: TARGET, tried_at: NOW, error_code: 'failed' },
    error: expect.stringContaining('cannot write to /mnt/none'),
  })
  const entries = await dashboard.db.read
    .select({ user_id: activities.user_id, status: activities.status })
    .from(activities)
    .where(eq(activities.type, 'backup.dashboard'))
  expect(entries).toEqual([{ user_id: 1, status: 'success' }])
})

test('a request whose target is removed ends as failed, with the reason', async () => {
  await using dashboard = await makeDashboard({ clock: new HeldClock() })
  const { db } = dashboard
  await confirmKit(dashboard)
  await addTarget(dashboard)
  await deleteOwnTarget(db, { type: 'x', domain: '', status: 'success', created_at: NOW })
  const value = { at: NOW, only_check: false }
  await db.write((queries) => queries.insert(settings).values({ key: 'off_site_request', value }))

  await sweep(dashboard)

  const obstacle = 'add a target for the dashboard first, which no server can read'
  expect(await shown(dashboard)).toEqual({
    ...{ ...EMPTY, obstacle, tried_at: NOW, error_code: 'not_ready' },
    error: `The records cannot be backed up: ${obstacle}`,
  })
})

test('a removed target is forgotten, and a second removal is 404', async () => {
  await using dashboard = await makeDashboard()
  await confirmKit(dashboard)
  await addTarget(dashboard)

  const removed = await dashboard.call('DELETE', `${AT}/target`)
  const again = await dashboard.call('DELETE', `${AT}/target`)

  expect([removed.status, again.status]).toEqual([204, 404])
  expect(await shown(dashboard)).toEqual({
    ...EMPTY,
    obstacle: 'add a target for the dashboard first, which no server can read',
  })
})

const OTHER = { kind: 'rest', url: 'https://BACKUP.example:9000/own/', user: 'hosting', ca: '' }
const IS_SITES =
  'Is that of the target Sites, which every server gets: use an account that no target of sites has'
const IS_OWN = 'Is that of the target of the dashboard, which servers must not be able to read'

test('the account of a target of sites is refused for the dashboard, whatever its path', async () => {
  await using dashboard = await makeDashboard()
  await dashboard.call('POST', '/api/backup-targets', { name: 'Sites', place, secret: SECRET })

  const put = (body: object) => dashboard.call('PUT', `${AT}/target`, body)
  const refused = await put({ place: OTHER, secret: SECRET })
  const missing = await put({ place: OTHER })
  const other = await put({ place: OTHER, secret: 'another-one' })
  const kept = await put({ place: OTHER })

  expect([refused.status, refused.body.fields]).toEqual([422, { secret: [IS_SITES] }])
  expect([missing.status, missing.body.fields]).toEqual([422, { secret: ['Is required'] }])
  expect([other.status, kept.status]).toEqual([200, 200])
})

test('the account of the target of the dashboard is refused for sites', async () => {
  await using dashboard = await makeDashboard()
  await dashboard.call('PUT', `${AT}/target`, { place: OTHER, secret: SECRET })

  const add = (secret: string) =>
    dashboard.call('POST', '/api/backup-targets', { name: 'Sites', place, secret })
  const created = await add(SECRET)
  const { body } = await add('another-one')
  const path = `/api/backup-targets/${body.target.id}`
  const changed = await dashboard.call('PATCH', path, { secret: SECRET })

  for (const { status, body: refusal } of [created, changed])
    expect([status, refusal.fields]).toEqual([422, { secret: [IS_OWN] }])
})

test('the target of the dashboard is in no list of the targets of sites', async () => {
  await using dashboard = await makeDashboard()
  await addTarget(dashboard)

  expect((await dashboard.call('GET', '/api/backup-targets')).body).toEqual({ targets: [] })
})
