import { afterAll, beforeAll, expect, test } from 'bun:test'
import { OPERATION_TYPES } from '#shared/operation-types/index.ts'
import { dashboard, kit, opened } from '#tests/support/agent/backup.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { putRestic } from '#tests/support/storage/restic.ts'
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
const domain = 'sweep.example.test'
const site = {
  ...{ domain, php: '8.2', tier: 'small', tls: 'none', email: 'o@example.test' },
  user: 'sweep1a2b3c',
}
const target = { place: { kind: 'local', path: '/mnt/store' }, secret: '' }
const keys = { dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey }
const Done = OPERATION_TYPES['backup.create'].outcome.result
const CREATE = ['backup.create', { domain, target, ...keys }] as const

unless(lab.available()).describe('a backup that is cut off', () => {
  let agent: CrashingAgent
  let restore: Scenario
  const outcomes: Outcome[] = []

  beforeAll(async () => {
    agent = await startCrashingAgent('sweepbackup')
    const { host } = agent
    await putRestic(host)
    await host.must(['install', '-d', '-m', '0700', '/mnt/store'])
    await perform(agent, ['server.provision', {}])
    await perform(agent, ['site.create', site])
    const ended = await perform(agent, CREATE)
    const { backup, sealed_password } = Done.parse(ended.events.at(-1)?.data)
    const { id, repository } = backup
    const password = opened(dashboard.privateKey, sealed_password)
    await host.must(['bash', '-c', `echo changed > /srv/www/${site.user}/public/index.html`])
    const parts = { files: true, database: true }
    const params = { domain, target, repository, password, backup: id, parts }
    restore = { work: ['backup.restore', params], back: [['backup.undo', { domain }]] }
    for (const work of [restore.work, ...restore.back]) await perform(agent, work)
  }, 10 * MINUTES)
  afterAll(async () => {
    console.log(tableOf(outcomes))
    await agent?.stop()
  }, 10 * MINUTES)

  const sweepAll = async (scenario: Scenario) => {
    const reference = await referenceOf(agent, scenario)
    for (const [kind, points] of kindsOf(reference)) {
      outcomes.push(await sweep(agent, scenario, reference, kind, points))
    }
  }

  test(
    'is whole or absent, and leaves the site as it was',
    async () => {
      await sweepAll({ work: CREATE, back: [] })
      const list = ['bash', '-c', 'ls /var/lib/hosting-agent/backups/*/open 2>/dev/null | wc -l']
      expect((await agent.host.must(list)).trim()).toBe('0')
    },
    60 * MINUTES,
  )

  test('has restored the site or left it unchanged', () => sweepAll(restore), 60 * MINUTES)

  test(
    'has undone the restore or left it unchanged',
    async () => {
      await perform(agent, restore.work)
      await sweepAll({ work: ['backup.undo', { domain }], back: [restore.work] })
    },
    60 * MINUTES,
  )
})
