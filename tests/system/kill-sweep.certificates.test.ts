// tier: full, interrupts
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Acme, startAcme } from '#tests/support/acme/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
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
const CA = '/etc/acme-ca.pem'
const domain = 'cert.example.test'
const email = 'o@example.test'
const site = { ...{ domain, php: '8.2', tier: 'small', tls: 'none', email }, user: 'cert1a2b3c' }
const tls = (mode: string): Work => ['tls.issue', { domain, tls: mode, email }]
/** Keys and certificates are random. */
const ignoring = ['contents'] as const
const ISSUED: Scenario = { work: tls('letsencrypt'), back: [tls('none')], ignoring }
/** Effects of its one step: challenges, files, virtual host, address. */
const CALLS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 17, 20, 24]

unless(lab.available()).describe('a certificate of an authority that is cut off', () => {
  let acme: Acme
  let sweeps: Sweeps
  beforeAll(async () => {
    acme = await startAcme()
    const settings = { AGENT_ACME_DIRECTORY: acme.directory_url, AGENT_ACME_CA_FILE: CA }
    sweeps = new Sweeps(await startCrashingAgent('sweep-certificates', { settings }))
    const { host } = sweeps.agent
    await host.put(CA, acme.ca_pem)
    for (const name of [domain, `www.${domain}`]) await acme.resolve(name, host.address)
    const works = [['server.provision', {}] as const, ['site.create', site] as const]
    for (const work of works) await perform(sweeps.agent, work)
    // The account at the authority stays.
    for (const work of [ISSUED.work, ...ISSUED.back]) await perform(sweeps.agent, work)
  }, 10 * MINUTES)
  afterAll(async () => {
    await sweeps?.end()
    await acme?.stop()
  }, 10 * MINUTES)

  test('is served or not at all', () => sweeps.all(ISSUED), 60 * MINUTES)

  test(
    'is served or not at all if it is cut off while it is ordered, installed or verified',
    async () => {
      const { agent } = sweeps
      const reference = await referenceOf(agent, ISSUED)
      const points = CALLS.map((calls): CrashPoint[] => [
        { file: 'journal', record: 1, when: 'after', how: 'SIGKILL', calls },
      ])
      const outcome = await sweep(agent, ISSUED, reference, 'kill -9 within the order', points)
      sweeps.outcomes.push(outcome)
      expect(outcome.before).toBeGreaterThan(points.length / 2)
    },
    60 * MINUTES,
  )
})
