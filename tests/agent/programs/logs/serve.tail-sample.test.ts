import { expect, test } from 'bun:test'
import { Sampler } from '#agent/programs/logs/serve.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

test('lets 200 of 10,000 lines a second through, evenly, and counts the others', () => {
  let now = 0
  const sampler = new Sampler(() => now)
  let [shown, left_out] = [0, 0]
  for (let look = 0; look < 40; look += 1) {
    now += 250
    const some = sampler.take(numbers(2500))
    shown += some.taken.length
    left_out += some.left_out
    if (look > 0) expect(Math.max(...some.taken)).toBeGreaterThan(2400)
  }

  expect(shown + left_out).toBe(100_000)
  expect(shown).toBeGreaterThanOrEqual(2000)
  expect(shown).toBeLessThanOrEqual(2200)
})

test('leaves no line of a quiet log out', () => {
  const sampler = new Sampler(() => 0)

  expect(sampler.take(numbers(200))).toEqual({ taken: numbers(200), left_out: 0 })
  expect(sampler.take([7])).toEqual({ taken: [], left_out: 1 })
})
