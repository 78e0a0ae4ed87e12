import { expect, test } from 'bun:test'
import { TurnLimit } from '#dashboard/kernel/runtime/event-loop-limit.ts'
import { yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'

test('a turn of the event loop starts no more than its share, in the order of arrival', async () => {
  const pace = new TurnLimit(2)
  const begun: number[] = []
  const work = async (number: number) => {
    await pace.turn()
    begun.push(number)
  }
  const all = Array.from({ length: 5 }, (_, number) => work(number))

  const seen: number[] = []
  for (let turn = 0; turn < 3; turn += 1) {
    await Promise.resolve()
    seen.push(begun.length)
    await yieldToEventLoop()
  }
  await Promise.all(all)

  expect([seen, begun]).toEqual([
    [2, 4, 5],
    [0, 1, 2, 3, 4],
  ])
})

test('later tasks do not overtake waiting ones', async () => {
  const pace = new TurnLimit(1)
  const begun: string[] = []
  const all = ['first', 'second'].map(async (name) => {
    await pace.turn()
    begun.push(name)
  })
  await yieldToEventLoop()
  const late = pace.turn()

  expect([begun, late instanceof Promise]).toEqual([['first', 'second'], true])
  await Promise.all([...all, late])
})

test('work below the limit never waits', async () => {
  const pace = new TurnLimit(1)
  const waits: unknown[] = []
  for (let turn = 0; turn < 3; turn += 1) {
    waits.push(pace.turn())
    await yieldToEventLoop()
    await yieldToEventLoop()
  }

  expect(waits).toEqual([undefined, undefined, undefined])
})
