// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import { OffSiteWorld } from '#tests/support/system/off-site/world.ts'

const MINUTES = 60_000
const READABLE =
  /^A server could read this: the account of the target shop, which every server gets, opens the repository/
const UNIT = '/etc/systemd/system/rest.service'

let world: OffSiteWorld

unless(lab.available()).describe('the target of the dashboard', () => {
  beforeAll(async () => {
    world = await OffSiteWorld.start()
  }, 10 * MINUTES)
  afterAll(() => world?.enrolled.stop(), 5 * MINUTES)

  test(
    'is not used as long as the account of a target of sites on the same server opens it',
    async () => {
      const { host, target, stop } = await startRestServer({ users: ['shop', 'dashboard'] })
      await world.add('shop', target('shop'))

      expect(await world.set(target('dashboard'))).toBe(null)
      expect((await world.state()).target?.checked_at).not.toBe(null)
      expect(await world.save()).toBe(null)
      const saved_at = (await world.state()).saved_at

      await host.must(['sed', '--in-place', 's/ "--private-repos"//', UNIT])
      await host.must(['systemctl', 'daemon-reload'])
      await host.must(['systemctl', 'restart', 'rest'])
      expect(await world.save()).toMatch(READABLE)
      const { target: own, saved_at: last } = await world.state()
      expect([own?.checked_at, last]).toEqual([null, saved_at])
      await stop()
    },
    5 * MINUTES,
  )
})
