import { expect, test } from 'bun:test'
import { breathe } from '#dashboard/kernel/runtime/breathe.ts'
import { Pace } from '#dashboard/kernel/runtime/pace.ts'

test('a turn of the event loop starts no more than its share, in the order of arrival', async () => {
  const pace = new Pace(2)
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
    await breathe()
  }
  await Promise.all(all)

  expect([seen, begun]).toEqual([
    [2, 4, 5],
    [0, 1, 2, 3, 4],
  ])
})

test('later tasks do not overtake waiting ones', async () => {
  const pace = new Pace(1)
  const begun: string[] = []
  const all = ['first', 'second'].map(async (name) => {
    await pace.turn()
    begun.push(name)
  })
  await breathe()
  const late = pace.turn()

  expect([begun, late instanceof Promise]).toEqual([['first', 'second'], true])
  await Promise.all([...all, late])
})

test('work below the limit never waits', async () => {
  const pace = new Pace(1)
  const waits: unknown[] = []
  for (let turn = 0; turn < 3; turn += 1) {
    waits.push(pace.turn())
    await breathe()
    await breathe()
  }

  expect(waits).toEqual([undefined, undefined, undefined])
})
