import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { type CrashingAgent, startCrashingAgent } from '#tests/support/system/sweep/agent.ts'
import { kindsOf } from '#tests/support/system/sweep/points.ts'
import {
  type Outcome,
  perform,
  referenceOf,
  type Scenario,
  sweep,
  tableOf,
} from '#tests/support/system/sweep/sweep.ts'

const MINUTES = 60_000
const LONG = process.env.HOSTING_LONG === '1'
const SLOWEST_MS = LONG ? 2_000 : 120_000

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
    ['site.purge', { domain, confirm: domain }],
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
  let agent: CrashingAgent
  const outcomes: Outcome[] = []
  beforeAll(async () => {
    agent = await startCrashingAgent('sweep')
    // Once before: only with a warm cache are the records of one create those of the next.
    const works = [['server.provision', {}] as const, CREATE.work, ...CREATE.back]
    for (const work of works) await perform(agent, work)
  }, 10 * MINUTES)
  afterAll(async () => {
    console.log(tableOf(outcomes))
    await agent?.stop()
  }, 10 * MINUTES)

  const sweepAll = async (scenario: Scenario) => {
    const reference = await referenceOf(agent, scenario)
    for (const [kind, points] of kindsOf(reference)) {
      const outcome = await sweep(agent, scenario, reference, kind, points)
      outcomes.push(outcome)
    }
  }

  test('has created the site or nothing at all', () => sweepAll(CREATE), 60 * MINUTES)

  test(
    'has changed the site or left it unchanged',
    async () => {
      await agent.run(...CREATE.work)
      await sweepAll(UPDATE)
    },
    60 * MINUTES,
  )

  test('has the site in the trash or in its place', () => sweepAll(DELETE), 60 * MINUTES)

  test(
    'has restored the site or kept it in the trash',
    async () => {
      await agent.run(...DELETE.work)
      await sweepAll(RESTORE)
    },
    60 * MINUTES,
  )

  test('ends soon after the agent is back', () => {
    const slow = outcomes.filter(({ recovery_ms }) => recovery_ms > SLOWEST_MS)

    expect(slow).toEqual([])
  })
})
