import { describe, expect, test } from 'bun:test'
import { KeyedQueue, Limit } from '#dashboard/kernel/runtime/limit.ts'

describe('a limit', () => {
  test('runs two tasks at a time in order, and a failed one frees its slot', async () => {
    const limit = new Limit(2)
    const order: string[] = []
    let most = 0
    let busy = 0
    const work = (name: string) =>
      limit.run(async () => {
        most = Math.max(most, ++busy)
        order.push(name)
        await Bun.sleep(1)
        busy--
        if (name === 'a') throw new Error('a')
      })

    const results = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(work))

    expect(results.map(({ status }) => status).join(' ')).toBe(
      'rejected fulfilled fulfilled fulfilled fulfilled',
    )
    expect({ most, order }).toEqual({ most: 2, order: ['a', 'b', 'c', 'd', 'e'] })
  })
})

test('tasks of one key run one after another, whatever their result', async () => {
  const queue = new KeyedQueue<string>()
  const order: string[] = []
  const work = (key: string, name: string, ms: number) =>
    queue.run(key, async () => {
      order.push(`${name} begins`)
      await Bun.sleep(ms)
      order.push(`${name} ends`)
      if (name === 'a') throw new Error('a')
    })

  await Promise.allSettled([work('x', 'a', 4), work('x', 'b', 1), work('y', 'c', 1)])

  expect(order).toEqual(['a begins', 'c begins', 'c ends', 'a ends', 'b begins', 'b ends'])
})
