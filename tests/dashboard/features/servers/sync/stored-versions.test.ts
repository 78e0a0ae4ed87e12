import { beforeEach, expect, test } from 'bun:test'
import { StoredVersions } from '#dashboard/features/servers/sync/stored-versions.ts'
import { SteppedClock } from '#tests/support/dashboard/clock.ts'

const MINUTE = 60_000
let clock: SteppedClock
let stored: StoredVersions

beforeEach(() => {
  clock = new SteppedClock()
  stored = new StoredVersions(clock)
  stored.see(stored.of(1), 'v1')
  stored.of(1).health = 'h1'
})

test('has the versions of each server', () => {
  const now = clock.elapsed()
  const times = { whole_at: expect.any(Number), has_lists: false, seen: now, times: 0 }

  expect([stored.of(1), stored.of(2)]).toEqual([{ ...times, state: 'v1', health: 'h1' }, times])
  expect(stored.rest_ms(2, MINUTE)).toBe(0)
})

test('has no versions of an agent that has another protocol now', () => {
  const versions = [stored.of(1, true).state, stored.of(1).state]

  expect(versions).toEqual([undefined, undefined])
})

test('counts how often a state was seen', () => {
  for (const _ of [1, 2]) stored.see(stored.of(1))
  const times = [stored.of(1).times]
  stored.see(stored.of(1), 'v2')

  expect([...times, stored.of(1).times]).toEqual([2, 0])
})

test.each([
  [false, 1, 10],
  [true, 10, 60],
])(
  'has everything read again, lists alone %p, after %d to %d minutes',
  async (lists, least, most) => {
    stored.see(stored.of(3, lists), 'v1')
    let minutes = 0
    for (; minutes <= most && stored.of(3, lists).state; minutes++) {
      stored.see(stored.of(3, lists))
      await clock.pass(MINUTE)
    }

    expect(minutes).toBeWithin(least, most + 1)
    expect(stored.rest_ms(3, MINUTE)).toBe(0)
  },
)

test('asks for a sync so long after the state was last seen', async () => {
  await clock.pass(0.75 * MINUTE)
  const unseen = stored.rest_ms(1, MINUTE)
  stored.see(stored.of(1))
  const seen = stored.rest_ms(1, MINUTE)
  await clock.pass(2 * MINUTE)

  expect([unseen, seen, stored.rest_ms(1, MINUTE)]).toEqual([0.25 * MINUTE, MINUTE, 0])
})

test('forgets a server that something else has changed, and what is stored of it meanwhile', () => {
  const before = stored.of(1)
  const current = [stored.isCurrent(1, before)]
  stored.forget(1)
  before.health = 'h2'
  current.push(stored.isCurrent(1, before))

  expect([stored.of(1).state, stored.of(1).health, stored.rest_ms(1, MINUTE)]).toEqual([
    ...[undefined, undefined, 0],
  ])
  expect([...current, stored.isCurrent(1, before)]).toEqual([true, false, false])
})

test('forgets everything when the servers are divided among the dashboards again', () => {
  stored.clear()

  expect(stored.of(1).state).toBeUndefined()
})
