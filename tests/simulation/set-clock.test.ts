import { describe, expect, test } from 'bun:test'
import { commands } from '#agent/commands.ts'
import { awaitAnswer } from '#agent/features/web/front-page.ts'
import { Session } from '#agent/kernel/operations/cancellable-host.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import { CANCELLED, conflict } from '#shared/kernel/errors.ts'
import { restorable, savedSite, TARGET } from '#tests/support/agent/backup.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { fillAt, machineOf } from '#tests/support/agent/full-disk.ts'
import { repeatRound } from '#tests/support/agent/rounds.ts'
import { type FakeHost, fakeHost, freeHost } from '#tests/support/fake-host.ts'
import { points } from '#tests/support/runs.ts'

const { domain } = shop
const { params: restoring, saving } = await restorable()
const KEYS = `${TARGET.place.path}/${shop.user}/keys`
const keys = (await savedSite({})).host.disk.all[KEYS] ?? ''
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A site with a backup, whose repository has the same keys each time. */
async function backedUp() {
  const { host } = await savedSite({})
  host.disk.putText(KEYS, keys)
  return host
}

/** Dates are what the clock said. */
const undated = (host: FakeHost) =>
  JSON.stringify(machineOf(host)).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '')

async function endOf(host: FakeHost, name: CommandName, params: object) {
  const runner = new Runner({ host, commands, report: () => undefined })
  const operation = await runner.start(name, params as ParamsOf<typeof name>, 'op1')
  const events = await Array.fromAsync(operation.follow(0, new AbortController().signal))
  return [events.at(-1)?.event, undated(host)]
}

describe.each([
  ['an hour ahead', HOUR],
  ['an hour back', -HOUR],
])('a clock change %s during an operation', (_, jump) => {
  test.each([
    ['site.create', shop, () => server()],
    ['site.update', { domain, tier: 'large' }, () => server(shop)],
    ['site.delete', { domain }, () => server(shop)],
    ['backup.create', saving, backedUp],
    ['backup.restore', restoring, async () => (await restorable()).host],
  ] as const)(
    'changes nothing in %s',
    async (name, params, start) => {
      const make = async () => {
        const host = await start()
        host.pages.set(`http://${domain}/`, `<a href="http://${domain}/">`)
        return host
      }
      const usual = await make()
      const { writes } = await counted(usual, () => endOf(usual, name, params))
      const expected = ['complete', undated(usual)]
      for (const at of points()) {
        if (at > writes) break
        const host = await make()
        const disk = fillAt(host, 0)
        const { guard } = host.disk
        host.disk.guard = (action) => {
          guard(action)
          host.set = disk.writes >= at ? jump : 0
        }
        expect([at, await endOf(host, name, params)]).toEqual([at, expected])
      }
    },
    60_000,
  )
})

async function counted(host: FakeHost, work: () => Promise<unknown>) {
  const disk = fillAt(host, 0)
  await work()
  return disk
}

test.each([
  ['ahead', 400 * DAY],
  ['back', -400 * DAY],
])('a clock change %s removes no recent operation', async (_, jump) => {
  const host = fakeHost()
  const runner = new Runner({ host, commands, report: () => undefined })
  const request = { command: 'cache.purge', params: { domain }, fingerprint: 'f' } as const
  await runner.store.create({ id: 'op1', ...request, created_at: host.clock.now() })
  await runner.store.addEvent('op1', { id: 1, event: 'complete', data: { status: 'ok' } })
  await runner.store.markEnded('op1')
  const left: string[][] = []
  const { sleep } = host.clock
  host.clock.sleep = async (ms) => {
    left.push(await runner.store.ids())
    if (left.length === 4) throw new Error('enough')
    host.set = left.length === 2 ? jump : 0
    await sleep(ms)
  }

  const repeated = repeatRound(host, 'old operations', () => undefined, { runner })
  await expect(repeated).rejects.toThrow('enough')

  expect(left).toEqual([['op1'], ['op1'], ['op1'], ['op1']])
})

describe.each([
  ['ahead', DAY],
  ['back', -DAY],
])('waiting during a clock change %s', (_, jump) => {
  test('waits for nginx for the same time', async () => {
    const waits = async (answering: boolean, set: number) => {
      const host = fakeHost()
      let pauses = 0
      const { sleep } = host.clock
      host.clock.sleep = async (ms) => {
        pauses += 1
        host.set = set
        if (answering && pauses === 3) host.pages.set(`http://${domain}/`, '')
        await sleep(ms)
      }
      return [await awaitAnswer(host, domain), pauses]
    }

    expect(await waits(true, jump)).toEqual([undefined, 3])
    expect(await waits(false, jump)).toEqual(await waits(false, 0))
  })

  test('gives a stopping program its ten seconds', async () => {
    const host = freeHost()
    host.hang('stubborn', true)
    const session = new Session(host, 'op1')
    const work = session.host.shell.run(['stubborn'])
    await Bun.sleep(0)
    const { sleep } = host.clock
    const began = host.time
    host.clock.sleep = async (ms) => {
      host.set = jump
      await sleep(ms)
    }

    session.stop(conflict(CANCELLED), false)

    await expect(work).rejects.toThrow(CANCELLED)
    expect(host.signals).toEqual(['SIGTERM op1', 'SIGKILL op1'])
    expect(host.time - began).toBeGreaterThanOrEqual(10_000)
  })
})
