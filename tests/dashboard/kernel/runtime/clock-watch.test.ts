import { describe, expect, test } from 'bun:test'
import { Scheduler } from '#dashboard/features/servers/sync/scheduler.ts'
import { ClockWatch } from '#dashboard/kernel/runtime/clock-watch.ts'
import { HeldClock, SteppedClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, EMAIL, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { createSite, ended, transcript } from '#tests/support/dashboard/operations.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const HOUR = 3600_000
const jumps: [string, number][] = [
  ['an hour ahead', HOUR],
  ['an hour back', -HOUR],
]

describe.each(jumps)('a clock change %s', (_, jump) => {
  test('ends no session', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    const me = async () => (await dashboard.call('GET', '/api/auth/me')).status

    clock.set(jump)
    const then = await me()
    clock.set(-jump)

    expect([then, await me()]).toEqual([200, 200])
  })

  test('neither resets failed logins nor prolongs their delay', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    const wrong = { email: EMAIL, password: 'guess' }
    for (let turn = 0; turn < 5; turn++) await dashboard.call('POST', '/api/auth/login', wrong)

    clock.set(jump)
    const answer = await dashboard.send('POST', '/api/auth/login', wrong)

    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe('900')
  })

  test('does not change how often servers are polled', async () => {
    const clock = new SteppedClock()
    const begun: number[] = []
    const sync = async (id: number) => {
      begun.push(id)
      return 'answered' as const
    }
    const scheduler = new Scheduler({ clock, sync, rest_ms: () => 0, changed: () => undefined })
    scheduler.start([1, 2, 3], 60)
    await clock.pass(59_000)
    const before = begun.length

    clock.set(jump)
    await clock.pass(60_000)

    expect([before, begun.length]).toEqual([3, 6])
    const stopped = scheduler.stop()
    await clock.pass(1_000)
    await stopped
  })

  test('fails no operation that waits for its agent', async () => {
    const clock = new HeldClock()
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({ clock })
    const server = await dashboard.addServer(agent)
    await agent.stop()
    const id = await createSite(dashboard, server)
    await tried(dashboard, id, 2)

    clock.set(jump)
    await tried(dashboard, id, 5)
    agent.listen()

    expect((await ended(dashboard, id)).status).toBe('success')
  })

  test('keeps the remaining time of an operation', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock, limits: { deadline_ms: 60_000 } })
    const id = await createSite(dashboard, await dashboard.addServer({ port: 1 }))
    await tried(dashboard, id, 2)

    clock.set(jump)
    clock.move(59_000)
    await tried(dashboard, id, 5)
    clock.move(2_000)

    expect((await ended(dashboard, id)).status).toBe('failed')
  })

  test('fails no operation whose connection breaks afterwards', async () => {
    const clock = new HeldClock()
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({ clock })
    const held = Promise.withResolvers<void>()
    agent.works.set('site.create', async function* ({ domain }) {
      yield 'Before'
      await held.promise
      return { status: 'ok', domain }
    })
    const id = await createSite(dashboard, await dashboard.addServer(agent))
    await until(async () => (await dashboard.db.read.query.operation_events.findMany())[0])

    clock.set(jump)
    await agent.stop()
    await tried(dashboard, id, 3)
    agent.listen()
    held.resolve()

    expect((await ended(dashboard, id)).status).toBe('success')
    expect(await transcript(dashboard, id)).toEqual([
      '1 log {"message":"Before"}',
      '2 complete {"status":"ok","domain":"shop.example"}',
    ])
  })
})

describe('the time of day is trusted', () => {
  const start = new HeldClock().now()

  /** The answers of a watch, whose time is proven by `proofs`. */
  function watchOf({ newest = start.toISOString() as string | null, proofs = [true] } = {}) {
    const clock = new HeldClock()
    let turn = 0
    const prove = async () => proofs[turn++] ?? proofs.at(-1) ?? false
    const watch = new ClockWatch({ clock, newest, prove })
    return { clock, isTrusted: () => watch.isTrusted() }
  }

  test.each([
    ['a day ahead', 24 * HOUR],
    ['a day back', -24 * HOUR],
  ])('an hour after a clock change %s, and when it is proven again', async (_, jump) => {
    const { clock, isTrusted } = watchOf({ proofs: [true, false, true] })
    const trusted = [await isTrusted()]
    clock.move(30 * 24 * HOUR)
    trusted.push(await isTrusted())

    clock.set(jump)
    trusted.push(await isTrusted())
    clock.move(HOUR - 1)
    trusted.push(await isTrusted())
    clock.move(1)
    trusted.push(await isTrusted(), await isTrusted(), await isTrusted())

    expect(trusted).toEqual([true, true, false, false, false, true, true])
  })

  test('when an agent has accepted a request since the start', async () => {
    const { isTrusted } = watchOf({ proofs: [false, false, true] })

    expect([await isTrusted(), await isTrusted(), await isTrusted()]).toEqual([false, false, true])
  })

  test.each([
    ['in the future', 2 * HOUR, false],
    ['of a few minutes ago', -10 * 60_000, true],
    ['of the day before', -23 * HOUR, true],
    ['of three weeks ago', -21 * 24 * HOUR, false],
  ])('at once with newest records %s: %p', async (_, age, atOnce) => {
    const newest = new Date(start.getTime() + age).toISOString()
    const { clock, isTrusted } = watchOf({ newest })

    const first = await isTrusted()
    clock.move(HOUR)

    expect([first, await isTrusted()]).toEqual([atOnce, true])
  })

  test('at once without records', async () => {
    expect(await watchOf({ newest: null }).isTrusted()).toBe(true)
  })
})

function tried(dashboard: Dashboard, id: string, times: number) {
  return until(async () => {
    const { body } = await dashboard.call('GET', `/api/operations/${id}`)
    return body.operation.attempts >= times
  })
}
