import { describe, expect, test } from 'bun:test'
import { scaleOf, shortNumber } from '#scripts/bench/growth/svg.ts'

describe('a logarithmic scale', () => {
  test('has the whole decades around all values, at equal distances', () => {
    const { at, ticks } = scaleOf([0.25, 8], 0, 200)
    expect({ ticks, places: ticks.map(at) }).toEqual({
      ticks: [0.1, 1, 10],
      places: [0, 100, 200],
    })
  })

  test('can run upwards', () => {
    const { at } = scaleOf([1, 100], 300, 100)
    expect([1, 10, 100].map(at)).toEqual([300, 200, 100])
  })

  test('has one decade for one power of ten', () => {
    expect(scaleOf([10], 0, 1).ticks).toEqual([10, 100])
  })
})

test.each([
  [0.001, '0.001'],
  [0.2469, '0.25'],
  [1.34, '1.3'],
  [29.07, '29'],
  [294.8, '295'],
  [100_000, '100,000'],
])('shows %p as %p', (value, shown) => {
  expect(shortNumber(value)).toBe(shown)
})
