// tier: full, interrupts
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { MoveSecrets } from '#tests/support/system/move-secrets.ts'
import { addSite, type MovedSite } from '#tests/support/system/moved-site.ts'
import { type Killed, Mover } from '#tests/support/system/sweep/mover.ts'
import { startTwoServers, succeeded } from '#tests/support/system/two-servers.ts'

const MINUTES = 60_000

/** What is cut off in which part, and how the operation then ends. The last one moves back. */
const CUTS: [kills: Record<string, Killed>, outcome: string][] = [
  [{ changes: 'dead old agent' }, 'failed'],
  [{ changes: 'old cable' }, 'failed'],
  [{ certificate: 'new cable', brought: 'dashboard', parted: 'dashboard' }, 'success'],
  [{ arriving: 'new agent' }, 'failed'],
  [{}, 'success'],
]

unless(lab.available()).describe('a move whose servers are cut off', () => {
  let mover: Mover
  let secrets: MoveSecrets
  let site: MovedSite

  beforeAll(async () => {
    const world = await startTwoServers()
    site = await addSite(world, { domain: 'shop.example.test', tls: 'none' })
    secrets = new MoveSecrets(world, site.user)
    await secrets.start()
    // The repository has its password from the first backup on.
    const { dashboard, one } = world
    await succeeded(dashboard, `/api/servers/${one.id}/sites/${site.id}/backups`)
    await secrets.learn(one)
    mover = await Mover.start(world, site, 'shop.example.test')
  }, 10 * MINUTES)
  afterAll(() => mover?.world.stop(), 5 * MINUTES)

  test.each(CUTS)(
    'with %j it ends with %s, one server answers, and no order is lost',
    async (kills, wanted) => {
      const start = performance.now()
      const outcome = await mover.move(kills)
      console.log(`${outcome} after ${Math.round((performance.now() - start) / 1000)} s`)
      expect([outcome, await mover.state()]).toEqual([wanted, mover.expected(outcome)])
      mover.settle(outcome)
    },
  )

  test('leaves its passwords in their own files and nowhere else', async () => {
    const { servers, dashboard, controls } = await secrets.found()

    expect([controls, dashboard]).toEqual([2, []])
    const config = `/srv/www/${site.user}/public/wp-config.php`
    const password = `/var/lib/hosting-agent/backups/${site.user}/passwords/${site.user}`
    const [one, two] = servers
    expect(one).toEqual([config, password])
    // It has the password of the repository after its own first backup.
    expect(two?.filter((place) => place !== password)).toEqual([config])
  })
})
