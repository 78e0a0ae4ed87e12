import { describe, expect, test } from 'bun:test'
import { lineThrough } from '#scripts/bench/slope/line.ts'

const points = (...values: number[]) => values.map((y, x) => ({ x, y }))

describe('a line through points', () => {
  test('has their slope, without noise, when they are on it', () => {
    expect(lineThrough(points(1, 3, 5, 7))).toEqual({ slope: 2, error: 0, noise: 0 })
  })

  test('has the slope of least squares, and its standard error, when they are not', () => {
    const { slope, error, noise } = lineThrough(points(0, 2, 1, 3))
    expect(slope).toBeCloseTo(0.8)
    expect(noise).toBeCloseTo(Math.sqrt(0.9))
    expect(error).toBeCloseTo(Math.sqrt(0.9 / 5))
  })

  test('needs three points', () => {
    expect(() => lineThrough(points(1, 2))).toThrow('three points')
  })
})
