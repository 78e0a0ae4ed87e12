import { afterEach, describe, expect, test } from 'bun:test'
import { Scheduler } from '#dashboard/features/servers/sync/scheduler.ts'
import { SteppedClock } from '#tests/support/dashboard/clock.ts'

const MINUTE = 60_000
const CONTACT_MS = 5_000
let clock: SteppedClock
let begun: Map<number, number>
let changed: number[]
/** By server, until when other contacts make a sync needless. */
let seen: Map<number, number>
/** Servers that do not answer. */
let silent: Set<number>
/** The servers in `silent` that are offline. */
let offline: Set<number>
/** How often the scheduler has waited. */
let slept: number
let running: Scheduler | undefined

/** A scheduler whose syncs take `ms`. */
function schedule(ms = 0): Scheduler {
  clock = new SteppedClock()
  begun = new Map()
  changed = []
  seen = new Map()
  silent = new Set()
  offline = new Set()
  slept = 0
  const { now, elapsed } = { now: () => clock.now(), elapsed: () => clock.elapsed() }
  const sleep = (ms: number, signal?: AbortSignal) => {
    slept += 1
    return clock.sleep(ms, signal)
  }
  running = new Scheduler({
    clock: { now, elapsed, sleep },
    sync: async (id) => {
      begun.set(id, (begun.get(id) ?? 0) + 1)
      if (ms > 0) await clock.sleep(ms)
      if (!silent.has(id)) return 'answered'
      await clock.sleep(CONTACT_MS)
      return offline.has(id) ? 'offline' : 'silent'
    },
    rest_ms: (id) => Math.max(0, (seen.get(id) ?? 0) - clock.elapsed()),
    changed: (id) => changed.push(id),
  })
  return running
}

afterEach(async () => {
  const stopped = running?.stop()
  await clock.pass(MINUTE)
  await stopped
})

describe('the scheduler', () => {
  test('spreads the servers over the interval', async () => {
    schedule().start([1, 2, 3, 4], 60)

    await clock.pass(0.3 * MINUTE)
    const early = [...begun]
    await clock.pass(0.7 * MINUTE)

    expect(early).toEqual([
      [1, 1],
      [2, 1],
    ])
    expect([...begun]).toEqual([
      [1, 2],
      [2, 1],
      [3, 1],
      [4, 1],
    ])
  })

  test('adds, removes and slows down what another dashboard has changed', async () => {
    const scheduler = schedule()
    scheduler.start([1, 2], 60)
    await clock.pass(MINUTE)
    begun.clear()

    scheduler.keep([2, 3], 60)
    await clock.pass(0.9 * MINUTE)
    expect([...begun].sort()).toEqual([
      [2, 1],
      [3, 1],
    ])
    begun.clear()
    scheduler.keep([2, 3], 600)
    await clock.pass(4 * MINUTE)
    expect([...begun]).toEqual([[2, 1]])
  })

  test('syncs a server with other contacts when they stop, and not an interval later', async () => {
    schedule().start([1], 60)
    await clock.pass(0.5 * MINUTE)
    seen.set(1, clock.elapsed() + 0.75 * MINUTE)

    await clock.pass(0.7 * MINUTE)
    const during = begun.get(1)
    await clock.pass(0.1 * MINUTE)
    const after = begun.get(1)
    await clock.pass(MINUTE)

    expect([during, after, begun.get(1)]).toEqual([1, 2, 3])
  })

  test('is on time although a thousand servers do not answer', async () => {
    const scheduler = schedule()
    const ids = Array.from({ length: 1_000 }, (_, place) => place + 2)
    silent = new Set(ids)
    scheduler.start([1, ...ids], 60)
    // Not all of them had their turn: 64 at once take 78 seconds.
    await clock.pass(2 * MINUTE)
    begun.clear()

    await clock.pass(10 * MINUTE)

    const contacts = ids.map((id) => begun.get(id) ?? 0)
    expect([begun.get(1), Math.min(...contacts)]).toEqual([10, 10])
  })

  test('applies a changed interval immediately', async () => {
    const scheduler = schedule()
    scheduler.start([1], 3600)
    await clock.pass(MINUTE)
    const before = begun.get(1)

    scheduler.setInterval(60)
    await clock.pass(3.5 * MINUTE)

    expect([before, begun.get(1)]).toEqual([1, 5])
  })

  test('does not start a second sync of a server while the first one runs', async () => {
    schedule(MINUTE).start([1], 10)

    await clock.pass(0.9 * MINUTE)
    const during = begun.get(1)
    await clock.pass(0.2 * MINUTE)

    expect([during, begun.get(1)]).toEqual([1, 2])
  })

  test('syncs a new server immediately and forgets a removed one', async () => {
    const scheduler = schedule()
    scheduler.start([], 60)
    scheduler.add(7)
    await clock.pass(5)
    const first = begun.get(7)
    scheduler.remove(7)
    await clock.pass(3 * MINUTE)

    expect([first, begun.get(7)]).toEqual([1, 1])
  })

  test('syncs a server once after a burst of changes, and during an endless one', async () => {
    const scheduler = schedule()
    scheduler.start([], 3600)
    const burst = async (seconds: number) => {
      for (let at = 0; at < 2 * seconds; at++) {
        scheduler.changed(7)
        await clock.pass(500)
      }
    }

    await burst(10)
    const during = begun.get(7)
    await clock.pass(MINUTE)
    const once = begun.get(7)
    await burst(70)
    await clock.pass(MINUTE)

    expect([during, once, begun.get(7)]).toEqual([undefined, 1, 4])
  })

  test('wakes up once a minute without servers, and once in five seconds for all offline ones', async () => {
    const scheduler = schedule()
    const ids = Array.from({ length: 300 }, (_, place) => place + 1)
    silent = new Set(ids)
    offline = new Set(ids)
    scheduler.start([], 60)
    await clock.pass(10 * MINUTE)
    const without = slept
    scheduler.keep(ids, 60)
    await clock.pass(2 * MINUTE)
    begun.clear()
    slept = 0

    await clock.pass(10 * MINUTE)

    const contacts = ids.map((id) => begun.get(id) ?? 0)
    expect([without <= 11, Math.min(...contacts) >= 30, slept <= 121]).toEqual([true, true, true])
  })

  test('contacts an offline server each quarter of a minute until it answers', async () => {
    schedule().start([1, 2], 60)
    silent = new Set([1])
    offline = new Set([1])
    await clock.pass(3 * MINUTE)
    const during = [begun.get(1), begun.get(2)]
    silent.clear()
    await clock.pass(3 * MINUTE)

    expect([during, begun.get(1)]).toEqual([[10, 3], 13])
  })
})
