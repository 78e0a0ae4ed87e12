import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { addSite } from '#tests/support/system/moved-site.ts'
import { Mover } from '#tests/support/system/sweep/mover.ts'
import { startTwoServers } from '#tests/support/system/two-servers.ts'

const MINUTES = 60_000

/** The parts of the freeze, and the one that hands the site over. */
const PARTS = ['frozen', 'changes', 'parted']

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

  test(
    'is complete or undone whenever the agent of the old server is killed, and can be repeated',
    async () => {
      for (const part of [...PARTS, undefined]) {
        const outcome = await mover.move(part === undefined ? {} : { [part]: () => mover.kill() })
        table.push(`${part ?? 'not killed'}: ${outcome}`)
        expect([part, await mover.state()]).toEqual([part, mover.expected(outcome)])
        if (outcome === 'success') return
      }
      throw new Error('The move that nobody cut off failed')
    },
    10 * MINUTES,
  )
})
