// tier: full, interrupts
import { afterAll, beforeAll, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { startCrashingAgent } from '#tests/support/system/sweep/agent.ts'
import { startDatabaseLate } from '#tests/support/system/sweep/late-database.ts'
import { perform, type Scenario } from '#tests/support/system/sweep/sweep.ts'
import { Sweeps } from '#tests/support/system/sweep/sweeps.ts'

const MINUTES = 60_000
const [domain, primary] = ['former.example.test', 'renamed.example.test']
const site = {
  ...{ domain, php: '8.2', tier: 'small', tls: 'self-signed', email: 'o@example.test' },
  user: 'name1a2b3c',
}
const RENAME: Scenario = {
  work: ['site.rename', { domain, primary, former: 'redirect' }],
  back: [['site.rename', { domain: primary, primary: domain, former: 'none' }]],
}
/** Each point costs two changes: tests/agent/commands has all others on a simulated machine. */
const EVERY = 8

unless(lab.available()).describe('a change of the primary domain that is cut off', () => {
  let sweeps: Sweeps
  beforeAll(async () => {
    sweeps = new Sweeps(await startCrashingAgent('sweep-rename'))
    await startDatabaseLate(sweeps.agent.host)
    const works = [['server.provision', {}] as const, ['site.create', site] as const]
    for (const work of works) await perform(sweeps.agent, work)
    // A certificate of its own, and records like those after a change and back.
    for (const work of [RENAME.work, ...RENAME.back]) await perform(sweeps.agent, work)
  }, 10 * MINUTES)
  afterAll(() => sweeps?.end(), 10 * MINUTES)

  test('is complete under one of both names', () => sweeps.all(RENAME, EVERY), 60 * MINUTES)
})
