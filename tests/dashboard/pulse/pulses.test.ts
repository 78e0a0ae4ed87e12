import { afterEach, describe, expect, test } from 'bun:test'
import type { Reading } from '#dashboard/metrics/queries.ts'
import { Pulses } from '#dashboard/pulse/pulses.ts'
import type { PulseAnswer } from '#dashboard/pulse/read-pulse.ts'
import { ServiceError } from '#shared/errors.ts'
import { SteppedClock } from '#tests/support/dashboard/clock.ts'

const MINUTE = 60_000
const START = Date.parse('2026-01-01T00:00:00.000Z') / 1000
const space = { used: 1, total: 2, unit: 'MB' as const }
const metrics = {
  ...{ cpu: 1, ram: space, disk: space, load: [0, 0, 0] as [number, number, number] },
  ...{ uptime: 1, os: '', version: '' },
}
const ANSWER: PulseAnswer = { metrics, health: 'same', counted: 1 }

let clock: SteppedClock
let pulses: Pulses
/** The servers of each write, as `seconds into the run: ids at minute`. */
let writes: string[]
/** The calls, as `seconds into the run: id waits seconds`. */
let calls: string[]
let followed: number[]

type Ask = (id: number, wait: number, signal: AbortSignal) => Promise<PulseAnswer>
const seconds = () => clock.now().getTime() / 1000 - START

/** Like an agent: the call is held until the wait is over, or the dashboard ends it. */
const held: Ask = async (_, wait, signal) => {
  await clock.sleep(wait * 1000, signal)
  if (signal.aborted) throw new Error('closing')
  return ANSWER
}

function begin(
  ids: readonly number[],
  {
    ask = held,
    store = async () => undefined,
    follow = async () => undefined,
    find = async (id) => (ids.includes(id) ? { id, hostname: '', port: 1 } : undefined),
  }: {
    ask?: Ask
    store?: () => Promise<void>
    follow?: () => Promise<void>
    find?: ConstructorParameters<typeof Pulses>[0]['find']
  } = {},
): void {
  clock = new SteppedClock()
  writes = []
  calls = []
  followed = []
  pulses = new Pulses({
    clock,
    log: { info: () => undefined, error: (message) => writes.push(message) },
    list: async () => ids.map((id) => ({ id, hostname: '', port: 1 })),
    find,
    ask({ id }, wait, signal) {
      calls.push(`${seconds()}: ${id} waits ${wait}`)
      return ask(id, wait, signal)
    },
    store(readings: readonly Reading[]) {
      const minutes = [...new Set(readings.map(({ at }) => (at - START) / 60))]
      writes.push(`${seconds()}: ${readings.map(({ server_id }) => server_id)} at ${minutes}`)
      return store()
    },
    follow({ id }) {
      followed.push(id)
      return follow()
    },
  })
  pulses.start()
}

afterEach(async () => {
  const stopped = pulses.stop()
  await clock.pass(2 * MINUTE)
  await stopped
})

describe('the pulses', () => {
  test('hold one call a minute at each server, and write answers that come together at once', async () => {
    begin([1, 51, 2, 50])

    await clock.pass(4 * MINUTE - 1)

    expect(calls.slice(0, 8)).toEqual([
      ...['62.5: 50 waits 50', '63.5: 1 waits 50', '63.5: 51 waits 50', '64.5: 2 waits 50'],
      ...['122.5: 50 waits 50', '123.5: 1 waits 50', '123.5: 51 waits 50', '124.5: 2 waits 50'],
    ])
    expect(writes).toEqual([
      ...['113: 50 at 1', '114: 1,51 at 1', '115: 2 at 1'],
      ...['173: 50 at 2', '174: 1,51 at 2', '175: 2 at 2'],
      ...['233: 50 at 3', '234: 1,51 at 3', '235: 2 at 3'],
    ])
  })

  test('give each minute one reading of a server whose wait ends in the next one', async () => {
    begin([8, 49])

    await clock.pass(4 * MINUTE)

    expect(writes).toEqual([...['121: 8 at 2', '162: 49 at 2', '181: 8 at 3', '222: 49 at 3']])
  })

  test('repeat a call that a change ended early after a pause, for the rest of the time', async () => {
    let changes = 2
    begin([1], {
      ask: async (...of) => (changes-- > 0 ? ANSWER : held(...of)),
    })

    await clock.pass(2 * MINUTE)

    expect(calls).toEqual(['63.5: 1 waits 50', '73.5: 1 waits 40', '83.5: 1 waits 30'])
    expect(writes).toEqual(['64: 1 at 1', '74: 1 at 1', '114: 1 at 1'])
    expect(followed).toEqual([1, 1, 1])
  })

  test('call an older agent once a minute, since it does not wait', async () => {
    begin([1], { ask: async () => ({ metrics }) })

    await clock.pass(3 * MINUTE)

    expect(calls).toEqual(['63.5: 1 waits 50', '123.5: 1 waits 50'])
    expect(followed).toEqual([1, 1])
  })

  test('repeat a held call soon when the server has changed', async () => {
    begin([1])
    await clock.pass(MINUTE + 10_000)

    pulses.again(1)
    pulses.again(2)
    await clock.pass(5_000)

    expect(calls).toEqual(['63.5: 1 waits 50', '71: 1 waits 42'])
    expect(writes).toEqual([])
  })

  test('begin at a new server after its sync, until its turn, and once only', async () => {
    begin([1, 40])
    await clock.pass(10_000)

    for (const id of [1, 40, 7]) await pulses.meet(id)
    await pulses.meet(1)
    await clock.pass(MINUTE)
    await pulses.meet(1)

    expect(calls).toEqual(['10: 1 waits 50', '10: 40 waits 29', '63.5: 1 waits 50'])
    expect(writes).toEqual(['39.5: 40 at 0', '60.5: 1 at 1'])
  })

  test('leave a new server to its turn while the records cannot be read', async () => {
    begin([1], { find: () => Promise.reject(new Error('disk failure')) })

    await pulses.meet(1)
    await clock.pass(MINUTE + 10_000)

    expect(calls).toEqual(['63.5: 1 waits 50'])
  })

  test('leave a gap for a server that does not answer, and continue with the others', async () => {
    begin([1, 51], {
      ask: (id, ...rest) =>
        id === 1 ? Promise.reject(new ServiceError('offline')) : held(id, ...rest),
    })

    await clock.pass(3 * MINUTE - 1)

    expect(calls.filter((call) => call.includes(': 1 '))).toHaveLength(2)
    expect(writes).toEqual(['114: 51 at 1', '174: 51 at 2'])
  })

  test('skip a server whose last call is still open', async () => {
    begin([1], { ask: (_, wait) => clock.sleep(1.5 * wait * 1000).then(() => ANSWER) })

    await clock.pass(4 * MINUTE)

    expect(calls).toEqual(['63.5: 1 waits 50', '183.5: 1 waits 50'])
  })

  test('continue when a write or what follows fails, and report it', async () => {
    const full = () => Promise.reject(new Error('disk full'))
    begin([1], { store: full, follow: full })

    await clock.pass(3 * MINUTE - 1)

    const unread = 'the health or the numbers of sites could not be stored'
    const each = (at: string) => [unread, at, 'metrics could not be stored']
    expect(writes).toEqual([...each('114: 1 at 1'), ...each('174: 1 at 2')])
  })

  test('are not delayed by agents whose health and numbers are slow', async () => {
    const slow = Array.from({ length: 16 }, (_, place) => 1 + 50 * place)
    begin([...slow, 2], { follow: () => clock.sleep(1.5 * MINUTE) })

    await clock.pass(4 * MINUTE - 1)

    const readings = writes.filter((write) => write.includes(': 2 '))
    expect(readings).toEqual(['115: 2 at 1', '175: 2 at 2', '235: 2 at 3'])
    expect(followed.filter((id) => id === 1)).toHaveLength(2)
    expect(writes[0]).toBe(`114: ${slow} at 1`)
  })

  test('end their held calls and start no more when they are stopped', async () => {
    begin([1, 20])
    await clock.pass(MINUTE + 10_000)

    const stopped = pulses.stop()
    await clock.pass(1)
    await stopped
    await clock.pass(3 * MINUTE)

    expect(calls).toEqual(['63.5: 1 waits 50'])
    expect(writes).toEqual([])
  })
})
