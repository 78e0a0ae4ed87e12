import { describe, expect, test } from 'bun:test'
import { FairLimit } from '#dashboard/kernel/runtime/fair-limit.ts'

const stranger = (by: string) => ({ by, first: false })
const known = (by: string) => ({ by, first: true })

/** A limit whose one place is taken until `free` is called, and the order of what ran after that. */
function busy(most: number) {
  const limit = new FairLimit(1, most)
  const { promise, resolve: free } = Promise.withResolvers<void>()
  const order: string[] = []
  void limit.run(stranger('first'), () => promise)
  const add = (turn: Parameters<FairLimit['run']>[0], name = turn.by) =>
    limit
      .run(turn, async () => {
        order.push(name)
      })
      .then(
        () => 'ran',
        (error: Error) => error.message,
      )
  return { limit, free, order, add }
}

describe('a fair limit', () => {
  test('alternates between names, however much one of them requests', async () => {
    const { free, order, add } = busy(10)
    const all = ['a', 'a', 'a', 'b', 'a', 'c', 'b'].map((by) => add(stranger(by)))

    free()
    await Promise.all(all)

    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'a'])
  })

  test('prefers known names to all strangers', async () => {
    const { free, order, add } = busy(10)
    const all = [add(stranger('a')), add(stranger('b')), add(known('owner'))]

    free()
    await Promise.all(all)

    expect(order).toEqual(['owner', 'a', 'b'])
  })

  test('a newcomer replaces the newest task of the name with the most tasks', async () => {
    const { free, order, add } = busy(3)
    const flood = [add(stranger('a'), 'a1'), add(stranger('a'), 'a2'), add(stranger('a'), 'a3')]
    const more = add(stranger('a'), 'a4')
    const newcomer = add(stranger('b'))

    free()

    expect(await Promise.all([...flood, more, newcomer])).toEqual([
      'ran',
      'ran',
      'Too busy, try again',
      'Too busy, try again',
      'ran',
    ])
    expect(order).toEqual(['a1', 'b', 'a2'])
  })

  test('reserves a slot for known names when strangers fill it', async () => {
    const { free, add } = busy(2)
    const strangers = ['a', 'b', 'c'].map((by) => add(stranger(by)))
    const owner = add(known('owner'))

    free()

    expect(await Promise.all([...strangers, owner])).toEqual([
      'ran',
      'ran',
      'Too busy, try again',
      'ran',
    ])
  })

  test('starts a task when it is ready, and others meanwhile', async () => {
    const { free, order, add } = busy(3)
    const { promise, resolve } = Promise.withResolvers<void>()
    const late = add({ ...stranger('a'), ready: () => promise })
    const early = add(stranger('b'))
    free()
    expect(await early).toBe('ran')
    expect(order).toEqual(['b'])

    resolve()

    expect(await late).toBe('ran')
    expect(order).toEqual(['b', 'a'])
  })

  test('wakes a task that is refused while it is not ready', async () => {
    const { add, free } = busy(2)
    let woken = 0
    const ready = (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          woken += 1
          resolve()
        })
      })
    void add({ ...stranger('a'), ready })
    const second = add({ ...stranger('a'), ready })

    const newcomer = add(stranger('b'))
    free()

    expect(await Promise.all([second, newcomer])).toEqual(['Too busy, try again', 'ran'])
    expect(woken).toBe(1)
  })

  test('runs its maximum at a time, also after failures', async () => {
    const limit = new FairLimit(2, 100)
    let [now, most] = [0, 0]
    const work = (turn: number) =>
      limit.run(stranger(String(turn % 3)), async () => {
        most = Math.max(most, ++now)
        await Bun.sleep(1)
        now -= 1
        if (turn % 2 === 0) throw new Error('no')
      })

    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, turn) => work(turn)))

    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(10)
    expect([now, most]).toEqual([0, 2])
  })
})
