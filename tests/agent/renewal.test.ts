import { expect, test } from 'bun:test'
import { commands } from '#agent/commands/index.ts'
import { Runner } from '#agent/operations/runner.ts'
import { getSite, writeSite } from '#agent/os/site/sites.ts'
import { renewHourly } from '#agent/renewal.ts'
import { authority, issue, serveTokens, tlsSite } from '#tests/support/agent/tls-site.ts'
import { authorityPem } from '#tests/support/fixtures/certificates.ts'

const MINUTE = 60_000

test('renews certificates although the times of the authority cannot be stored', async () => {
  const host = await tlsSite()
  const requested = Promise.withResolvers<readonly string[]>()
  authority(host, () => ({ chain: authorityPem }))
  await issue(host, 'letsencrypt')
  await writeSite(host, { ...(await getSite(host, 'a.example')), domain: 'b.example', user: 'b' })
  serveTokens(host, ['b.example'])
  authority(host, ({ names }) => {
    requested.resolve(names)
    return { refused: [{ name: 'b.example', reason: 'timeout' }] }
  })
  host.disk.guard = (action) => {
    if (action.endsWith('renewal-times.json')) throw new Error('read-only file system')
  }
  // Of the long waits only the one before the first round ends.
  const { sleep } = host.clock
  let hours = 0
  host.clock.sleep = async (ms) => {
    const isOver = ms < MINUTE || (ms > 4 * MINUTE && ++hours === 1)
    return isOver ? sleep(ms) : new Promise<void>(() => undefined)
  }
  const errors: unknown[] = []
  const runner = new Runner({ host, commands, report: () => undefined })

  void renewHourly(host, runner, (error) => errors.push(error))

  expect(await Promise.race([requested.promise, ended()])).toEqual(['b.example'])
  expect(errors.map(String)).toEqual(['Error: read-only file system'])
})

const ended = () => Bun.sleep(2000).then(() => 'nothing was requested')
