// tier: core, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { long } from '#tests/support/runs.ts'
import { unless } from '#tests/support/skip.ts'
import { startCrashingAgent } from '#tests/support/system/sweep/agent.ts'
import { perform, type Scenario } from '#tests/support/system/sweep/sweep.ts'
import { Sweeps } from '#tests/support/system/sweep/sweeps.ts'
import { inTurn } from '#tests/support/turns.ts'

const MINUTES = 60_000
setDefaultTimeout(60 * MINUTES)
const SLOWEST_MS = long ? 2_000 : 120_000

const domain = 'sweep.example.test'
const site = {
  domain,
  php: '8.2',
  tier: 'small',
  tls: 'none',
  email: 'o@example.test',
  user: 'sweep1a2b3c',
}
const CREATE: Scenario = {
  work: ['site.create', site],
  back: [
    ['site.delete', { domain }],
    ['site.purge', { domain, confirm: domain, trashed_days: 0 }],
  ],
  ignoring: ['rows'],
}
const UPDATE: Scenario = {
  work: ['site.update', { domain, tier: 'medium' }],
  back: [['site.update', { domain, tier: 'small' }]],
}

const DELETE: Scenario = { work: ['site.delete', { domain }], back: [['site.restore', { domain }]] }
const RESTORE: Scenario = {
  work: ['site.restore', { domain }],
  back: [['site.delete', { domain }]],
}

unless(lab.available()).describe('an operation that is cut off', () => {
  let sweeps: Sweeps
  beforeAll(async () => {
    sweeps = new Sweeps(await startCrashingAgent('sweep'))
    // Once before: only with a warm cache are the records of one create those of the next.
    const works = [CREATE.work, ...CREATE.back]
    for (const work of works) await perform(sweeps.agent, work)
  }, 10 * MINUTES)
  afterAll(() => sweeps?.end(), 10 * MINUTES)

  /** Each pair begins without a site; a gate has one of them. */
  const pairs = [
    () => {
      test('has created the site or nothing at all', async () =>
        expect(await sweeps.all(CREATE)).toEqual([]))

      test('has changed the site or left it unchanged', async () => {
        await perform(sweeps.agent, CREATE.work)
        expect(await sweeps.all(UPDATE)).toEqual([])
        for (const work of CREATE.back) await perform(sweeps.agent, work)
      })
    },
    () => {
      test('has the site in the trash or in its place', async () => {
        await perform(sweeps.agent, CREATE.work)
        expect(await sweeps.all(DELETE)).toEqual([])
      })

      test('has restored the site or kept it in the trash', async () => {
        await perform(sweeps.agent, DELETE.work)
        expect(await sweeps.all(RESTORE)).toEqual([])
      })
    },
  ]
  for (const pair of inTurn(pairs, 'sites/kill-sweep')) pair()

  test('ends soon after the agent is back', () => {
    const slow = sweeps.outcomes.filter(({ recovery_ms }) => recovery_ms > SLOWEST_MS)

    expect(slow).toEqual([])
  })
})
