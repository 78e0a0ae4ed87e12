import { afterEach, describe, expect, test } from 'bun:test'
import { Scheduler } from '#dashboard/fleet/scheduler.ts'
import { realClock } from '#dashboard/runtime/clock.ts'

const begun = new Map<number, number>()
let running: Scheduler | undefined

/** A scheduler whose syncs take `ms`. */
function schedule(ms = 0): Scheduler {
  begun.clear()
  running = new Scheduler({
    clock: realClock,
    sync: async (id) => {
      begun.set(id, (begun.get(id) ?? 0) + 1)
      await Bun.sleep(ms)
    },
  })
  return running
}

afterEach(() => running?.stop())

describe('the scheduler', () => {
  test('spreads the servers over the interval', async () => {
    schedule().start([1, 2, 3, 4], 0.2)

    await Bun.sleep(75)

    expect([...begun.keys()].sort()).toEqual([1, 2])
  })

  test('takes a changed interval at once', async () => {
    const scheduler = schedule()
    scheduler.start([1], 3600)
    await Bun.sleep(10)

    scheduler.setInterval(0.02)
    await Bun.sleep(100)

    expect(begun.get(1)).toBeGreaterThan(3)
  })

  test('does not begin a second sync of a server while the first one runs', async () => {
    schedule(200).start([1], 0.01)

    await Bun.sleep(60)

    expect(begun.get(1)).toBe(1)
  })

  test('begins with a new server at once and forgets a removed one', async () => {
    const scheduler = schedule()
    scheduler.start([], 0.03)
    scheduler.add(7)
    await Bun.sleep(5)
    const first = begun.get(7)
    scheduler.remove(7)
    await Bun.sleep(60)

    expect([first, begun.get(7)]).toEqual([1, 1])
  })
})
