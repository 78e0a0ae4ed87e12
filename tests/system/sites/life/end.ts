import { expect, test } from 'bun:test'
import { poll } from '#tests/support/lab/index.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { get } from '#tests/support/system/requests.ts'
import { snapshot } from '#tests/support/system/snapshot.ts'
import { unplanned } from '#tests/support/system/unplanned.ts'
import type { Site, World } from '#tests/support/system/world.ts'

/** Servers only: a container ends at a power loss. */
export function comesBack(world: World): void {
  if (world.variant.init === 'none') return

  test('restarts with its sites after a power failure, for a new dashboard too', async () => {
    await world.host.powerOff()
    await world.host.start()

    const answers = async () => (await get(world.host, 'http://one.example.test/')).status === 200
    await poll(() => answers().catch(() => false), { every_ms: 200 })
    await world.startAnotherDashboard()
    await world.register()
    expect(await world.sync()).toEqual({ status: 'ok', sites: 2 })
  })
}

export function deletesSites(world: World): void {
  test('deletes and purges the sites completely', async () => {
    const { body } = await world.dashboard.call('GET', world.path('/sites'))
    for (const { id, domain } of body.sites as Site[]) {
      const deleted = await world.dashboard.call('DELETE', world.path(`/sites/${id}`))
      const site = { id, domain, status: 'deleting' }
      expect([deleted.status, deleted.body]).toEqual([202, { site }])
      const size = expect.any(Number)
      expect((await endOf(world.dashboard, deleted)).data).toEqual({ status: 'ok', domain, size })
      const path = world.path(`/sites/${id}/purge`)
      const purge = { method: 'POST', path: `/sites/${id}/purge`, body: { domain } }
      const found = await unplanned(world, purge, async () => {
        const purged = await world.dashboard.call('POST', path, { domain })
        expect((await endOf(world.dashboard, purged)).data).toEqual({ status: 'ok', domain })
      })
      expect(found).toEqual([])
    }

    expect((await world.dashboard.call('GET', world.path('/sites'))).body).toEqual({ sites: [] })
    expect(await snapshot(world.host)).toEqual(world.before as never)
  })
}
