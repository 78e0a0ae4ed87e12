import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { addSite } from '#tests/support/system/moved-site.ts'
import { type Killed, Mover } from '#tests/support/system/sweep/mover.ts'
import { startTwoServers } from '#tests/support/system/two-servers.ts'

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

  beforeAll(async () => {
    const world = await startTwoServers()
    const site = await addSite(world, { domain: 'shop.example.test', tls: 'none' })
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
    5 * MINUTES,
  )
})
