// tier: full, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { type PhpRepository, phpRepository } from '#tests/support/system/php-repository.ts'
import { startCrashingAgent } from '#tests/support/system/sweep/agent.ts'
import { perform, type Scenario, type Work } from '#tests/support/system/sweep/sweep.ts'
import { Sweeps } from '#tests/support/system/sweep/sweeps.ts'

const MINUTES = 60_000
setDefaultTimeout(60 * MINUTES)
const PLACE = '/srv/php-repository'
const domain = 'php.example.test'
const site = {
  ...{ domain, php: '8.4', tier: 'small', tls: 'none', email: 'o@example.test' },
  user: 'php1a2b3c',
}
const version = (php: string): Work => ['site.update', { domain, php }]
const OLDER: Scenario = { work: version('8.2'), back: [version('8.4')] }
/** With limits of PHP, which both versions have. */
const LIMITS = { php_settings: { execution_time: 90, values: { allow_url_fopen: 'off' } } }
const VERSIONS = { php_versions: ['8.4', '8.2'], php_source: true }

unless(lab.available()).describe('a change of the PHP version that is cut off', () => {
  let repository: PhpRepository
  let sweeps: Sweeps
  beforeAll(async () => {
    repository = await phpRepository()
    const settings = {
      AGENT_PHP_SOURCE: `file://${PLACE}`,
      AGENT_PHP_SOURCE_FINGERPRINT: repository.fingerprint,
    }
    sweeps = new Sweeps(await startCrashingAgent('sweep-php', { suite: 'trixie', settings }))
    const { host } = sweeps.agent
    await lab.must(['cp', '--recursive', repository.folder, join(host.root, PLACE)])
    await lab.must(['chmod', '-R', 'a+rX', join(host.root, PLACE)])
    await perform(sweeps.agent, ['server.provision', VERSIONS])
    await perform(sweeps.agent, ['site.create', site])
    await perform(sweeps.agent, ['site.configure', { domain, ...LIMITS }])
    for (const work of [OLDER.work, ...OLDER.back]) await perform(sweeps.agent, work)
  }, 15 * MINUTES)
  afterAll(async () => {
    await sweeps?.end()
    await repository?.remove()
  }, 10 * MINUTES)

  test('has the new version or the former one', async () =>
    expect(await sweeps.all(OLDER)).toEqual([]))
})
