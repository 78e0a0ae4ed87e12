// tier: full, interrupts
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { DROP_IN_TEXT } from '#agent/os/ssh/drop-in.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { ANNA, BEN } from '#tests/support/ssh-keys.ts'
import { startCrashingAgent } from '#tests/support/system/sweep/agent.ts'
import { perform, type Scenario } from '#tests/support/system/sweep/sweep.ts'
import { Sweeps } from '#tests/support/system/sweep/sweeps.ts'

const MINUTES = 60_000
const DROP_IN = '/etc/ssh/sshd_config.d/00-hosting-control.conf'

const domain = 'sweep.example.test'
const site = {
  ...{ domain, php: '8.2', tier: 'small', tls: 'none' },
  ...{ email: 'o@example.test', user: 'sweep1a2b3c' },
}
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

unless(lab.available()).describe('a change of the access that is cut off', () => {
  let sweeps: Sweeps
  beforeAll(async () => {
    sweeps = new Sweeps(await startCrashingAgent('access-sweep'))
    for (const work of [['server.provision', {}] as const, ['site.create', site] as const])
      await perform(sweeps.agent, work)
    await sweeps.agent.host.must(['systemctl', 'start', 'ssh'])
  }, 10 * MINUTES)
  afterAll(() => sweeps?.end(), 10 * MINUTES)

  /** As before anybody had access on this server. */
  const reset = async () => {
    const { host } = sweeps.agent
    await perform(sweeps.agent, NOBODY)
    await host.must(['rm', '-rf', '--', DROP_IN, '/etc/hosting/ssh'])
    await host.exec(['groupdel', 'hosting-sftp'])
    await host.must(['systemctl', 'reload', 'ssh'])
  }

  test(
    'never leaves sshd with a file that it does not accept, or a login without a record',
    async () => {
      const { host } = sweeps.agent
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
    },
    20 * MINUTES,
  )

  test(
    'has given the access or not',
    async () => {
      await perform(sweeps.agent, FIRST)
      await perform(sweeps.agent, NOBODY)
      await sweeps.all(GIVEN)
    },
    20 * MINUTES,
  )

  test(
    'has given client accounts and passwords or not, and taken them or not',
    async () => {
      await perform(sweeps.agent, PRINT)
      await sweeps.all(CLIENTS)
      await perform(sweeps.agent, CHANGED)
      await sweeps.all(NO_CLIENTS)
      await perform(sweeps.agent, FIRST)
    },
    20 * MINUTES,
  )

  test(
    'has taken the access or not',
    async () => {
      await perform(sweeps.agent, BOTH)
      await sweeps.all(TAKEN)
    },
    20 * MINUTES,
  )
})
