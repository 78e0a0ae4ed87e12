// tier: full, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { addSite } from '#tests/support/system/moved-site.ts'
import { type Killed, Mover } from '#tests/support/system/sweep/mover.ts'
import { startTwoServers } from '#tests/support/system/two-servers.ts'

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)

/** Who is killed in which part. The last one must succeed. */
const KILLS: Record<string, Killed>[] = [
  { certificate: 'new agent' },
  { gathered: 'old agent' },
  { 'caught-up': 'new agent' },
  { frozen: 'old agent' },
  { changes: 'old agent' },
  { parted: 'old agent', open: 'new agent' },
  { changes: 'dashboard' },
]

unless(lab.available()).describe('a move that is cut off', () => {
  let mover: Mover
  const table: string[] = []

  beforeAll(async () => {
    const world = await startTwoServers()
    const site = await addSite(world, { domain: 'shop.example.test', tls: 'none' })
    mover = await Mover.start(world, site, 'shop.example.test')
  }, 10 * MINUTES)
  afterAll(async () => {
    console.log(table.join('\n'))
    await mover?.world.stop()
  }, 5 * MINUTES)

  test('is complete or undone whoever is killed, loses no order, and can be repeated', async () => {
    for (const kills of KILLS) {
      const name = JSON.stringify(kills)
      const start = performance.now()
      const outcome = await mover.move(kills)
      table.push(`${name}: ${outcome} after ${Math.round((performance.now() - start) / 1000)} s`)
      expect([name, await mover.state()]).toEqual([name, mover.expected(outcome)])
      mover.settle(outcome)
    }
    expect(table.at(-1)).toContain('success')
    expect(mover.orders).toBeGreaterThan(20)
  })
})
