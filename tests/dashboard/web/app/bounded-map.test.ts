import { expect, test } from 'bun:test'
import { setBounded } from '#dashboard/web/app/bounded-map.ts'

test('keeps only the newest values', () => {
  const map = new Map<string, number>()
  for (const [value, key] of ['a', 'b', 'c', 'a', 'd', 'e'].entries())
    setBounded(map, 3, key, value)

  expect([...map]).toEqual([
    ['a', 3],
    ['d', 4],
    ['e', 5],
  ])
})
