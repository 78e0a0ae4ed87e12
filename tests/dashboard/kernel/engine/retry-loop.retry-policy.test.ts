import { expect, test } from 'bun:test'
import { RetryPolicy } from '#dashboard/kernel/engine/retry-loop.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'

const limits = { deadline_ms: 60_000, retry_min_ms: 500, retry_max_ms: 30_000 }
const FIRST = '2026-01-01T00:01:00.000Z'
const SECOND = '2026-01-01T00:02:00.000Z'

/** The pauses of so many tries, each of which finds this deadline. */
function pauses(retry: RetryPolicy, tries: number, deadline_at: string): number[] {
  return Array.from({ length: tries }, () => {
    retry.contacted(deadline_at)
    const pause = retry.pause()
    retry.failed()
    return pause
  })
}

test('doubles the pause up to a limit, and starts over after contact with the agent', () => {
  const retry = new RetryPolicy(new HeldClock(), limits, FIRST)

  expect(pauses(retry, 8, FIRST)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  expect(pauses(retry, 3, SECOND)).toEqual([500, 1000, 2000])
})

test('gives the full time again after contact with the agent', () => {
  const clock = new HeldClock()
  const retry = new RetryPolicy(clock, limits, FIRST)
  clock.move(50_000)
  const before = [retry.allows(10_000), retry.allows(10_001)]

  retry.contacted(SECOND)

  expect(before).toEqual([true, false])
  expect([retry.allows(60_000), retry.allows(60_001)]).toEqual([true, false])
})
