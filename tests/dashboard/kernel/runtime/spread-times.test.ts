import { expect, test } from 'bun:test'
import { nextSpreadTime } from '#dashboard/kernel/runtime/spread-times.ts'

const MINUTE = 60_000
const RANGE = { least_ms: MINUTE, most_ms: 10 * MINUTE }
const SERVERS = Array.from({ length: 1_000 }, (_, place) => place + 1)

test('work that began at once is spread evenly over its range', () => {
  const now = 12_345
  const turns = SERVERS.map((id) => nextSpreadTime(id, now, RANGE))

  expect(turns.every((turn) => turn >= now + MINUTE && turn < now + 10 * MINUTE)).toBe(true)
  const inMinute = Map.groupBy(turns, (turn) => Math.floor((turn - now) / MINUTE))
  const counts = [...inMinute.values()].map(({ length }) => length)
  expect([counts.length, Math.min(...counts) >= 105, Math.max(...counts) <= 117]).toEqual([
    ...[9, true, true],
  ])
})

test('work that is late has its next turn at its own time', () => {
  const first = nextSpreadTime(7, 0, RANGE)
  const late = 20_000

  expect(nextSpreadTime(7, first + late, RANGE)).toBeCloseTo(first + 9 * MINUTE, 3)
})
