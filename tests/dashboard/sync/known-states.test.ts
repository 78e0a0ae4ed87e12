import { beforeEach, expect, test } from 'bun:test'
import { KnownStates } from '#dashboard/sync/known-states.ts'
import { SteppedClock } from '#tests/support/dashboard/clock.ts'

const MINUTE = 60_000
let clock: SteppedClock
let states: KnownStates

beforeEach(() => {
  clock = new SteppedClock()
  states = new KnownStates(clock)
  states.begin(1)('v1')
})

test('knows the version of the last sync, of its server only', () => {
  expect([states.see(1, 'v1'), states.see(2, 'v1'), states.see(1, 'v2')]).toEqual([
    ...[true, false, false],
  ])
})

test('knows nothing of a server whose state has no version', () => {
  states.begin(2)(null)

  expect([states.see(2, null), states.rest_ms(2, MINUTE)]).toEqual([false, 0])
})

test('forgets a version once the server had another one, which may be on record since', () => {
  const another = states.see(1, 'v2')

  expect([another, states.see(1, 'v1'), states.rest_ms(1, MINUTE)]).toEqual([false, false, 0])
})

test('asks for a whole sync within ten minutes, whatever has been seen meanwhile', async () => {
  let minutes = 0
  for (; minutes < 11 && states.see(1, 'v1'); minutes++) await clock.pass(MINUTE)

  expect([minutes > 1, minutes <= 10, states.rest_ms(1, MINUTE)]).toEqual([true, true, 0])
})

test('asks for a sync so long after the state was last seen', async () => {
  await clock.pass(0.75 * MINUTE)
  const unseen = states.rest_ms(1, MINUTE)
  states.see(1, 'v1')
  const seen = states.rest_ms(1, MINUTE)
  await clock.pass(2 * MINUTE)

  expect([unseen, seen, states.rest_ms(1, MINUTE)]).toEqual([0.25 * MINUTE, MINUTE, 0])
})

test('forgets a server that something else has changed', () => {
  states.forget(1)

  expect([states.see(1, 'v1'), states.rest_ms(1, MINUTE)]).toEqual([false, 0])
})

test('does not know the result of a sync during which something changed', () => {
  const finish = states.begin(1)
  states.forget(1)
  finish('v2')

  expect(states.see(1, 'v2')).toBe(false)
})

test('forgets everything when the servers are divided among the dashboards again', () => {
  states.clear()

  expect(states.see(1, 'v1')).toBe(false)
})
