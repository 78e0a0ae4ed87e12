// tier: full, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { BACK_UP, SHOP, startBackedUp } from '#tests/support/system/sweep/backed-up.ts'
import { perform, type Scenario } from '#tests/support/system/sweep/sweep.ts'

const MINUTES = 60_000
setDefaultTimeout(60 * MINUTES)
const { domain } = SHOP
const UNDO = ['backup.undo', { domain }] as const

unless(lab.available()).describe('a backup that is cut off', () => {
  let world: Awaited<ReturnType<typeof startBackedUp>>

  beforeAll(async () => {
    world = await startBackedUp('sweepbackup')
    // Once before: only then are the records of one operation those of the next.
    for (const work of [restoring({ files: true, database: true }), UNDO, proving()]) {
      await perform(world.agent, work)
    }
  }, 10 * MINUTES)
  afterAll(() => world?.sweeps.end(), 10 * MINUTES)

  const restoring = (parts: object) =>
    ['backup.restore', { domain, ...world.backup, parts }] as const
  const proving = () => ['backup.prove', { domain, ...world.backup }] as const
  const sweepAll = (scenario: Scenario, every?: number) => world.sweeps.all(scenario, every)

  test('is complete or absent, and leaves the site as it was', async () => {
    expect(await sweepAll({ work: BACK_UP, back: [] })).toEqual([])
    const list = ['bash', '-c', 'ls /var/lib/hosting-agent/backups/*/open 2>/dev/null | wc -l']
    expect((await world.agent.host.must(list)).trim()).toBe('0')
  })

  test('has restored the site or left it unchanged', async () =>
    expect(
      await sweepAll({ work: restoring({ files: true, database: true }), back: [UNDO] }),
    ).toEqual([]))

  test('has restored the chosen parts or left the site unchanged', async () => {
    const tables = ['posts', 'comments'].map((name) => `${world.prefix}${name}`)
    const parts = { files: true, database: true, paths: ['page.html', 'wp-includes'], tables }
    expect(await sweepAll({ work: restoring(parts), back: [UNDO] }, 3)).toEqual([])
  })

  test('has no hidden site left of its proof', async () =>
    expect(await sweepAll({ work: proving(), back: [] }, 2)).toEqual([]))

  test('has undone the restore or left it unchanged', async () => {
    const restore = restoring({ files: true, database: true })
    await perform(world.agent, restore)
    expect(await sweepAll({ work: UNDO, back: [restore] })).toEqual([])
  })
})
