import { expect, test } from 'bun:test'
import type { Ask } from '#agent/calls/reading.ts'
import { pulseOf } from '#agent/readings/pulse.ts'
import type { SiteHealth } from '#shared/agent.ts'
import { Pulse } from '#shared/pulse.ts'
import { SteppedClock } from '#tests/support/dashboard/clock.ts'

const space = { used: 1, total: 2, unit: 'MB' as const }
const metrics = {
  ...{ cpu: 1, ram: space, disk: space, load: [0, 0, 0] as [number, number, number] },
  ...{ uptime: 1, os: 'Debian', version: '1.0.0' },
}
const up = (domain: string): SiteHealth => {
  const verdict = { state: 'up', code: 'up', reason: '' } as const
  return { domain, ...verdict, checks: [{ check: 'php', ...verdict }] }
}

function reader() {
  const clock = new SteppedClock()
  const start = clock.elapsed()
  const values = { health: [up('a.example')], counted: 60 }
  let states = 0
  const others: Ask = async (at): Promise<never> => {
    if (at === 'GET /state') states += 1
    return (at === 'GET /state' ? { metrics, version: 'v1' } : metrics) as never
  }
  const numbers = {
    list: () => [],
    get changed() {
      return values.counted
    },
  }
  const ask = async (
    wait: number,
    health = '',
    { state = 'yes', signal = new AbortController().signal } = {},
  ) => {
    const params = { wait, health, state: state === 'yes' ? 'yes' : 'no' } as const
    const known = { host: { clock }, health: () => values.health, numbers, ask: others }
    const answer = await pulseOf({ ...known, params, signal })
    return { answer, seconds: (clock.elapsed() - start) / 1000 }
  }
  return { clock, values, ask, states: () => states }
}

test('answers immediately when another version of the health is known', async () => {
  const { ask } = reader()

  const { answer, seconds } = await ask(50, 'other')

  const health = expect.stringMatching(/^[\w-]{43}$/)
  expect({ answer, seconds }).toEqual({
    ...{ answer: { metrics, version: 'v1', health, counted: 60 }, seconds: 0 },
  })
  expect(Pulse.parse(answer)).toEqual(answer)
})

test('waits for the time of the request while nothing changes, and reads the state once', async () => {
  const { clock, values, ask, states } = reader()
  const { health } = (await ask(0)).answer

  const asked = ask(50, health)
  await clock.pass(20_000)
  values.counted = 120
  await clock.pass(60_000)

  expect(await asked).toEqual({
    ...{ answer: { metrics, version: 'v1', health, counted: 120 }, seconds: 50 },
  })
  expect(states()).toBe(2)
})

test('answers within two seconds of a change of health', async () => {
  const { clock, values, ask } = reader()
  const { health } = (await ask(0)).answer
  const changed = new Promise<number>((resolve) => {
    void ask(50, health).then(({ answer }) => {
      if (answer.health !== health) resolve(clock.elapsed())
    })
  })
  await clock.pass(7_000)

  const before = clock.elapsed()
  values.health = [{ ...up('a.example'), state: 'down', code: 'php_failed' }]
  await clock.pass(2_000)

  expect((await changed) - before).toBeLessThanOrEqual(2_000)
})

test('does not read the state when it is not wanted', async () => {
  const { ask, states } = reader()

  const { answer } = await ask(0, '', { state: 'no' })

  expect([answer.version, states()]).toEqual([null, 0])
})

test('ends its wait when the connection is closed', async () => {
  const { clock, ask } = reader()
  const { health } = (await ask(0)).answer
  const closed = new AbortController()

  const asked = ask(50, health, { signal: closed.signal })
  await clock.pass(5_000)
  closed.abort()
  await clock.pass(60_000)

  expect((await asked).seconds).toBe(6)
})
