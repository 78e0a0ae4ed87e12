// tier: full, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { hashOf } from '#tests/support/agent/staging.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { SHOP, startBackedUp } from '#tests/support/system/sweep/backed-up.ts'
import { perform, type Scenario } from '#tests/support/system/sweep/sweep.ts'

const MINUTES = 60_000
setDefaultTimeout(90 * MINUTES)
const domain = 'copy.example.test'
const copy = { ...SHOP, domain, user: 'copy1a2b3c' }
const staging = { of: SHOP.domain, user: 'staging', password_hash: hashOf('letmein') }
const ORIGINAL = { kind: 'site', domain: SHOP.domain }

unless(lab.available()).describe('a clone that is cut off', () => {
  let world: Awaited<ReturnType<typeof startBackedUp>>

  beforeAll(async () => {
    world = await startBackedUp('sweepclone')
  }, 10 * MINUTES)
  afterAll(() => world?.sweeps.end(), 10 * MINUTES)

  /** Once before: only then are the records of one operation those of the next. */
  const sweepAll = async (scenario: Scenario, every = 1) => {
    for (const work of [scenario.work, ...scenario.back]) await perform(world.agent, work)
    expect(await world.sweeps.all(scenario, every)).toEqual([])
    const jobs = ['systemctl', 'is-active', `hosting-cron@${SHOP.user}.timer`]
    expect((await world.agent.host.exec(jobs)).stdout).toBe('active\n')
  }
  /** The copy becomes a staging site, once. */
  const stage = async () => {
    if ((await world.agent.host.exec(['test', '-e', `/srv/www/${copy.user}`])).code === 0) return
    await perform(world.agent, ['site.clone', { ...copy, staging, from: ORIGINAL }])
    await world.write('staging', copy.user)
  }
  const cloning = (from: object): Scenario => ({
    work: ['site.clone', { ...copy, from }],
    back: [
      ['site.delete', { domain }],
      ['site.purge', { domain, confirm: domain, trashed_days: 0 }],
    ],
    ignoring: ['rows'],
  })

  test('is complete or absent, and the jobs of the original continue', () =>
    sweepAll(cloning(ORIGINAL)))

  test('is complete or absent when it is made of a backup', () =>
    sweepAll(cloning({ kind: 'backup', ...world.backup }), 4))

  test('has refreshed the staging site or left it unchanged, and never changes the live site', async () => {
    await stage()
    const back = [['backup.undo', { domain }]] as const
    await sweepAll({ work: ['site.refresh', { domain, from: ORIGINAL }], back }, 3)
  })

  test('has pushed files and tables or left the live site unchanged', async () => {
    await stage()
    const tables = [`${world.prefix}posts`, `${world.prefix}options`]
    const params = { domain: SHOP.domain, from: domain, files: true, tables, overwrite: tables }
    const back = [['backup.undo', { domain: SHOP.domain }]] as const
    await sweepAll({ work: ['site.push', params], back }, 3)
  })
})
