import { expect, test } from 'bun:test'
import { commands } from '#agent/commands.ts'
import { readFailedRequests, recordRefusal } from '#agent/features/domains/failed-requests.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { getSite, writeSite } from '#agent/kernel/site/sites.ts'
import { repeatRound } from '#tests/support/agent/rounds.ts'
import { authority, issue, serveTokens, tlsSite } from '#tests/support/agent/tls-site.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
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

  startBoth(host, runner, (error) => errors.push(error))

  expect(await Promise.race([requested.promise, ended()])).toEqual(['b.example'])
  expect(errors.map(String)).toEqual(['Error: read-only file system'])
})

test('renews a certificate once that both the hourly round and that of the refused ones find', async () => {
  const host = await refused()
  const { order } = host.acme
  host.acme.order = async (asked) => {
    // Meanwhile the other round looks which certificates are due.
    await turns(200)
    return order(asked)
  }

  await bothRounds(host)

  expect(host.orders.map(({ names }) => names)).toEqual([['a.example', 'www.a.example']])
  expect(await readFailedRequests(host)).toEqual({})
})

test('renews no certificate that a user has renewed meanwhile', async () => {
  const host = await tlsSite()
  await writeSite(host, { ...(await getSite(host, 'a.example')), tls: 'letsencrypt' })
  const runner = new Runner({ host, commands, report: () => undefined })
  const asked = Promise.withResolvers<void>()
  authority(host, () => ({ chain: authorityPem }))
  const { order } = host.acme
  host.acme.order = async (asking) => {
    asked.resolve()
    await turns(200)
    return order(asking)
  }

  await runner.start('tls.issue', { domain: 'a.example', tls: 'letsencrypt', email: 'a@a.example' })
  await asked.promise
  await bothRounds(host, runner)

  expect(host.orders).toHaveLength(1)
})

test('notes a renewal that fails after its order, so that no order follows each minute', async () => {
  const host = await refused()
  host.visits.set('https://a.example/', { failed: 'refused', ms: 0 })

  await bothRounds(host)

  expect(host.orders).toHaveLength(1)
  const reason = 'TLS for a.example does not answer on this server'
  const next_at = new Date(host.time + 30 * MINUTE).toISOString()
  expect(await readFailedRequests(host)).toEqual({ 'a.example': { failures: 2, reason, next_at } })
})

test('notes nothing for a renewal that a user has cancelled', async () => {
  const host = await refused()
  const before = await readFailedRequests(host)
  const runner = new Runner({ host, commands, report: () => undefined })
  host.acme.order = async () => {
    for (const id of await runner.store.unended()) await runner.cancel(id, true)
    throw new Error('The connection was closed')
  }

  await bothRounds(host, runner)

  expect(await readFailedRequests(host)).toEqual(before)
})

/** A site whose request was refused, and is due again. */
async function refused(): Promise<FakeHost> {
  const host = await tlsSite()
  await writeSite(host, { ...(await getSite(host, 'a.example')), tls: 'letsencrypt' })
  await recordRefusal(host, 'a.example', 'timeout')
  host.time += 11 * MINUTE
  authority(host, () => ({ chain: authorityPem }))
  return host
}

function startBoth(host: FakeHost, runner: Runner, report: (error: unknown) => void): void {
  void repeatRound(host, 'renewal of refused certificates', report, { runner })
  void repeatRound(host, 'renewal of certificates', report, { runner })
}

/** Two rounds at the same time, until both have ended. */
async function bothRounds(
  host: FakeHost,
  runner = new Runner({ host, commands, report: () => undefined }),
): Promise<void> {
  const ended = Promise.withResolvers<void>()
  const { sleep } = host.clock
  let waits = 0
  host.clock.sleep = async (ms) => {
    if (ms < MINUTE) return sleep(ms)
    waits += 1
    if (waits === 4) ended.resolve()
    if (waits > 2) await new Promise<void>(() => undefined)
  }
  startBoth(host, runner, (error) => ended.reject(error))
  await ended.promise
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((done) => setImmediate(done))
}

const ended = () => Bun.sleep(2000).then(() => 'nothing was requested')
