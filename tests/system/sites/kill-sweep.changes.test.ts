// tier: full, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { DROP_IN_TEXT } from '#agent/features/access/ssh/drop-in.ts'
import { type Acme, startAcme } from '#tests/support/acme/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { ANNA, BEN } from '#tests/support/ssh-keys.ts'
import { startCrashingAgent } from '#tests/support/system/sweep/agent.ts'
import type { CrashPoint } from '#tests/support/system/sweep/crash-point.ts'
import {
  perform,
  referenceOf,
  type Scenario,
  sweep,
  type Work,
} from '#tests/support/system/sweep/sweep.ts'
import { Sweeps } from '#tests/support/system/sweep/sweeps.ts'

const MINUTES = 60_000
setDefaultTimeout(60 * MINUTES)
const DROP_IN = '/etc/ssh/sshd_config.d/00-hosting-control.conf'
const CA = '/etc/acme-ca.pem'

const domain = 'sweep.example.test'
const email = 'o@example.test'
const site = { domain, php: '8.2', tier: 'small', tls: 'none', email, user: 'sweep1a2b3c' }

const grantOf = (id: number, key: string) => ({
  ...{ id, person: `Person ${id}`, kind: 'sftp', expires_at: null, keys: [key] },
})
const access = (...grants: object[]) => ['site.access', { domain, grants }] as const
const FIRST = access(grantOf(1, ANNA))
const BOTH = access(grantOf(1, ANNA), grantOf(2, BEN))
const NOBODY = access()
const client = (token: string, end: string) => ({
  ...{ token, label: `Client ${token}`, expires_at: null },
  password_hash: `$2b$10$${end.repeat(53)}`,
})
const clients = (...all: object[]) =>
  ['site.access', { domain, grants: [grantOf(1, ANNA)], clients: all }] as const
const PRINT = clients(client('abcd2345', 'a'))
const CHANGED = clients(client('abcd2345', 'b'), client('efgh2345', 'c'))

const GIVEN: Scenario = { work: BOTH, back: [NOBODY] }
const CLIENTS: Scenario = { work: CHANGED, back: [PRINT] }
const NO_CLIENTS: Scenario = { work: FIRST, back: [CHANGED] }
const TAKEN: Scenario = { work: NOBODY, back: [BOTH] }

const job = (name: string, hour: number) => ({
  ...{ name, schedule: `0 ${hour} * * *`, command: 'wp cache flush' },
})
const jobs = (...all: object[]): Work => ['site.jobs', { domain, jobs: all }]
const JOBS: Scenario = {
  work: jobs(job('changed', 4), job('new', 5)),
  back: [jobs(job('changed', 3), job('former', 3))],
}

const tls = (mode: string): Work => ['tls.issue', { domain, tls: mode, email }]
/** Keys and certificates are random. */
const ignoring = ['contents'] as const
const ISSUED: Scenario = { work: tls('letsencrypt'), back: [tls('none')], ignoring }
/** Effects of its one step: challenges, files, virtual host, address. */
const CALLS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 17, 20, 24]

unless(lab.available()).describe('a change of a site that is cut off', () => {
  let acme: Acme
  let sweeps: Sweeps
  beforeAll(async () => {
    acme = await startAcme()
    const settings = { AGENT_ACME_DIRECTORY: acme.directory_url, AGENT_ACME_CA_FILE: CA }
    sweeps = new Sweeps(await startCrashingAgent('sweep-site', { settings }))
    const { host } = sweeps.agent
    await host.put(CA, acme.ca_pem)
    for (const name of [domain, `www.${domain}`]) await acme.resolve(name, host.address)
    await perform(sweeps.agent, ['site.create', site])
  }, 10 * MINUTES)
  afterAll(async () => {
    await sweeps?.end()
    await acme?.stop()
  }, 10 * MINUTES)

  test('has the new jobs or the former ones', async () => {
    for (const work of JOBS.back) await perform(sweeps.agent, work)
    expect(await sweeps.all(JOBS)).toEqual([])
  })

  test('does not leave the run of a job that it has started', async () => {
    const { agent } = sweeps
    const slow = { ...job('slow', 3), command: 'while echo started; do sleep 1.75; done' }
    await perform(agent, jobs(slow))
    const unit = `hosting-job@${site.user}:slow.service`
    const point = { file: 'journal', record: 1, when: 'after', how: 'SIGKILL', calls: 6 } as const

    const { events } = await agent.run('site.job-run', { domain, name: 'slow' }, [point])

    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'interrupted' } })
    const log = await agent.host.must(['cat', `/srv/www/${site.user}/logs/jobs.log`])
    expect(log).toMatch(/ started\n/)
    const { stdout } = await agent.host.exec(['systemctl', 'is-active', unit])
    expect(stdout.trim()).toMatch(/^(inactive|failed)$/)
    const processes = await agent.host.must(['ps', '-eo', 'user:40,args'])
    expect(processes).not.toContain('sleep 1.75')
    await perform(agent, jobs())
  })

  test('has a certificate that is served, or none', async () => {
    // The account at the authority stays.
    for (const work of [ISSUED.work, ...ISSUED.back]) await perform(sweeps.agent, work)
    expect(await sweeps.all(ISSUED)).toEqual([])
  })

  test('has a certificate that is served, or none, also while it is ordered, installed or verified', async () => {
    const { agent } = sweeps
    const reference = await referenceOf(agent, ISSUED)
    const points = CALLS.map((calls): CrashPoint[] => [
      { file: 'journal', record: 1, when: 'after', how: 'SIGKILL', calls },
    ])
    const outcome = await sweep(agent, ISSUED, reference, 'kill -9 within the order', points)
    sweeps.outcomes.push(outcome)
    expect(outcome.problems).toEqual([])
    expect(outcome.before).toBeGreaterThan(points.length / 2)
  })

  /** As before anybody had access on this server. */
  const reset = async () => {
    const { host } = sweeps.agent
    await perform(sweeps.agent, NOBODY)
    await host.must(['rm', '-rf', '--', DROP_IN, '/etc/hosting/ssh'])
    await host.exec(['groupdel', 'hosting-sftp'])
    await host.must(['systemctl', 'reload', 'ssh'])
  }

  test('never leaves sshd with a file that it does not accept, or a login without a record', async () => {
    const { host } = sweeps.agent
    await host.must(['systemctl', 'start', 'ssh'])
    const { journal } = await perform(sweeps.agent, FIRST)
    for (let record = 1; record <= journal.length; record++) {
      await reset()
      const point = { file: 'journal', record, when: 'after', how: 'SIGKILL' } as const

      const { events } = await sweeps.agent.run(...FIRST, [point])

      const isDone = events.at(-1)?.event === 'complete'
      expect([record, (await host.exec(['sshd', '-t'])).code]).toEqual([record, 0])
      const { code, stdout } = await host.exec(['cat', DROP_IN])
      expect([record, code === 0 ? stdout : DROP_IN_TEXT]).toEqual([record, DROP_IN_TEXT])
      const { stdout: keys } = await host.exec(['cat', `/etc/hosting/ssh/keys/${site.user}`])
      expect([record, keys.includes(ANNA)]).toEqual([record, isDone])
      const active = await host.must(['systemctl', 'is-active', 'ssh'])
      expect([record, active.trim()]).toEqual([record, 'active'])
    }
  })

  test('has given the access or not', async () => {
    await perform(sweeps.agent, FIRST)
    await perform(sweeps.agent, NOBODY)
    expect(await sweeps.all(GIVEN)).toEqual([])
  })

  test('has given client accounts and passwords or not, and taken them or not', async () => {
    await perform(sweeps.agent, PRINT)
    expect(await sweeps.all(CLIENTS)).toEqual([])
    await perform(sweeps.agent, CHANGED)
    expect(await sweeps.all(NO_CLIENTS)).toEqual([])
    await perform(sweeps.agent, FIRST)
  })

  test('has taken the access or not', async () => {
    await perform(sweeps.agent, BOTH)
    expect(await sweeps.all(TAKEN)).toEqual([])
  })
})
