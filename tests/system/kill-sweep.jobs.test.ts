import { afterAll, beforeAll, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { startCrashingAgent } from '#tests/support/system/sweep/agent.ts'
import { perform, type Scenario } from '#tests/support/system/sweep/sweep.ts'
import { Sweeps } from '#tests/support/system/sweep/sweeps.ts'

const MINUTES = 60_000
const domain = 'jobs.example.test'
const site = {
  ...{ domain, php: '8.2', tier: 'small', tls: 'none', email: 'o@example.test' },
  user: 'jobs1a2b3c',
}
const job = (name: string, hour: number) => ({
  ...{ name, schedule: `0 ${hour} * * *`, command: 'wp cache flush' },
})
const JOBS: Scenario = {
  work: ['site.jobs', { domain, jobs: [job('changed', 4), job('new', 5)] }],
  back: [['site.jobs', { domain, jobs: [job('changed', 3), job('former', 3)] }]],
}

unless(lab.available()).describe('a change of cron jobs that is cut off', () => {
  let sweeps: Sweeps
  beforeAll(async () => {
    sweeps = new Sweeps(await startCrashingAgent('sweep-jobs'))
    const works = [['server.provision', {}] as const, ['site.create', site] as const, ...JOBS.back]
    for (const work of works) await perform(sweeps.agent, work)
  }, 10 * MINUTES)
  afterAll(() => sweeps?.end(), 10 * MINUTES)

  test('has the new jobs or the former ones', () => sweeps.all(JOBS), 60 * MINUTES)
})
