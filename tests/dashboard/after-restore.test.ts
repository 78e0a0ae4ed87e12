import { expect, test } from 'bun:test'
import { afterRestore } from '#dashboard/after-restore.ts'
import { findRequest, LOCAL_REQUEST } from '#dashboard/features/backups/off-site/state.queries.ts'
import type { Manifest } from '#dashboard/features/recovery/backup/manifest.ts'
import { markRestored } from '#dashboard/features/recovery/backup/restored-mark.ts'
import { pools, sitesOn, start, view } from '#tests/support/dashboard/bulk.ts'
import { type Dashboard, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { enrolled } from '#tests/support/dashboard/enrolled.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const states = async (dashboard: Dashboard) =>
  (await dashboard.call('GET', '/api/keys')).body.keys.map(({ state }: { state: string }) => state)

test('restored records pause what ran in bulk, and get a new key and new backups, once', async () => {
  await using agent = new FakeAgent()
  await using trusted = await FakeAgent.enrollable()
  await using dashboard = await makeDashboard()
  const { db, deps } = dashboard
  await enrolled(dashboard, trusted)
  const server_id = await sitesOn(dashboard, agent, 'slow1.example', 'slow2.example')
  const { started, release } = pools(agent)
  const id = await start(dashboard, { targets: { server_ids: [server_id] }, parallel: 1 })
  await until(() => started.length === 1)
  const manifest = { made_at: '2026-11-20T14:05:02.000Z' } as Manifest
  await markRestored(dashboard.folder, manifest)

  await afterRestore(deps, dashboard.folder)
  const keys = await states(dashboard)
  await afterRestore(deps, dashboard.folder)

  release()
  const { status, reason } = await view(dashboard, id)
  expect([status, reason]).toEqual([
    'paused',
    'The records were restored from a backup of 2026-11-20: look at what was done since, then resume or cancel it',
  ])
  expect(keys).toEqual(['current', 'leaving'])
  expect(await states(dashboard)).toEqual(keys)
  expect(await findRequest(db, LOCAL_REQUEST)).toBeDefined()
  const { activities } = (await dashboard.call('GET', '/api/activity?type=key.rotate')).body
  expect(activities.length).toBe(1)
})

test('other records change nothing', async () => {
  await using dashboard = await makeDashboard()

  await afterRestore(dashboard.deps, dashboard.folder)

  expect(await findRequest(dashboard.db, LOCAL_REQUEST)).toBeUndefined()
})
