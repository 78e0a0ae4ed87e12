import { expect, test } from 'bun:test'
import { commands } from '#agent/commands/index.ts'
import { serverProvision } from '#agent/commands/server.provision.ts'
import { Runner } from '#agent/operations/runner.ts'
import { installedPhp } from '#agent/os/packages/packages.ts'
import { contextOf, outcome, server } from '#tests/support/agent/debian.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import { killedAt } from '#tests/support/agent/killed.ts'
import { offerSource, sourceFiles, withApt } from '#tests/support/agent/php-repository.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { recover } from '#tests/support/recover.ts'
import { every } from '#tests/support/runs.ts'

const PARAMS = { php_versions: ['8.2', '8.3'], php_source: true }

const make = async () => withApt(offerSource(await server()))
const provision = (host: FakeHost) => outcome(serverProvision.run(PARAMS, contextOf(host)))
const stateOf = async (host: FakeHost) => [await installedPhp(host), sourceFiles(host)]

async function added() {
  const host = await make()
  expect((await provision(host))[1]).toEqual({ php_versions: ['8.2', '8.3'] })
  expect(sourceFiles(host)).toHaveLength(4)
  return stateOf(host)
}

test('the repository is added with its PHP or not at all, whichever effect fails', async () => {
  const whole = await added()
  let failed = 0

  await eachFault(make, provision, async (host, _, [, result], fault) => {
    if (typeof result !== 'string') return
    failed += 1
    const [versions, files] = await stateOf(host)
    // Packages that apt has installed stay, and their repository does then.
    const expected = versions?.includes('8.3') ? whole : [['8.2'], []]
    expect([fault, versions, files]).toEqual([fault, ...expected])
    expect([fault, (await provision(host))[1]]).toEqual([fault, expect.any(Object)])
    expect([fault, await stateOf(host)]).toEqual([fault, whole])
  })

  if (every(1) === 1) expect(failed).toBeGreaterThan(0)
})

test.each([
  ['is reachable', async () => undefined],
  ['is gone', async (host: FakeHost) => void host.pages.delete(host.settings.php_source.key_url)],
])(
  'a kill at any effect is completed by the next process if the repository %s',
  async (_, gone) => {
    const whole = await added()
    for (let at = 1; ; at += every(1)) {
      const host = await make()
      const { process, killed } = killedAt(host, at)
      const runner = new Runner({ host: process, commands, report: () => undefined })
      if (!(await Promise.race([killed, ended(runner)]))) break
      await gone(host)
      await recover(host, commands)

      const found = await stateOf(host)
      const isWhole = found[0]?.includes('8.3')
      expect([at, ...found]).toEqual([at, ...(isWhole ? whole : [['8.2'], []])])
    }
  },
)

async function ended(runner: Runner): Promise<false> {
  const operation = await runner.start('server.provision', PARAMS, 'op1')
  for await (const _ of operation.follow(0, new AbortController().signal));
  return false
}
