// tier: full, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { EverydaySweeps } from '#tests/support/system/sweep/everyday.ts'
import type { Scenario } from '#tests/support/system/sweep/sweep.ts'

const MINUTES = 60_000
setDefaultTimeout(30 * MINUTES)
const ATTACKS: Scenario = { work: ['isolation.check', {}], back: [] }

unless(lab.available()).describe('an isolation check that is cut off', () => {
  let sweeps: EverydaySweeps

  beforeAll(async () => {
    sweeps = await EverydaySweeps.start('sweep-isolation')
    // The programs that sites share stay on the server.
    await sweeps.warm(ATTACKS.work)
  }, 10 * MINUTES)
  afterAll(() => sweeps?.end(), 10 * MINUTES)

  test('leaves nothing of its two sites', async () =>
    expect(await sweeps.killed(ATTACKS, 8)).toEqual([]))
})
