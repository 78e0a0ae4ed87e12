// tier: full, interrupts
import { afterAll, beforeAll, expect, test } from 'bun:test'
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

  test(
    'does not leave the run of a job that it has started',
    async () => {
      const { agent } = sweeps
      const slow = { ...job('slow', 3), command: 'echo started; sleep 600' }
      await perform(agent, ['site.jobs', { domain, jobs: [slow] }])
      const unit = `hosting-job@${site.user}:slow.service`
      const point = { file: 'journal', record: 1, when: 'after', how: 'SIGKILL', calls: 6 } as const

      const { events } = await agent.run('site.job-run', { domain, name: 'slow' }, [point])

      expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'interrupted' } })
      expect(await agent.host.must(['journalctl', '--unit', unit, '--output=cat'])).toContain(
        '\nstarted\n',
      )
      const { stdout } = await agent.host.exec(['systemctl', 'is-active', unit])
      expect(stdout.trim()).toMatch(/^(inactive|failed)$/)
      const processes = await agent.host.must(['ps', '-eo', 'user:40,args'])
      expect(processes).not.toContain('sleep 600')
      await perform(agent, ['site.jobs', { domain, jobs: [] }])
    },
    5 * MINUTES,
  )
})
