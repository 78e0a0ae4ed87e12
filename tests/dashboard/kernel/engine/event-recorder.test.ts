import { expect, spyOn, test } from 'bun:test'
import { EventRecorder, StepBudget } from '#dashboard/kernel/engine/event-recorder.ts'
import { Bus } from '#dashboard/kernel/runtime/bus.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'

/** A recorder of a new operation, and the number of its writes. */
function recording() {
  const counts = { writes: 0 }
  const db = {
    async write() {
      counts.writes += 1
    },
  }
  const stored = { last: 0, own: 0, bytes: 0, cut: false }
  const steps = new StepBudget({ count: 0, sinceEvent: [] })
  const recorder = new EventRecorder(
    { db, bus: new Bus(), clock: realClock } as never,
    'one',
    stored,
    steps,
  )
  return { recorder, counts }
}

test('the first line is stored within milliseconds, and the next ones in groups', async () => {
  using timer = spyOn(globalThis, 'setTimeout').mockReturnValue(1 as never)
  const { recorder, counts } = recording()

  await recorder.log('first')
  timer.mock.calls[0]?.[0]()
  for (let line = 2; line <= 450; line++) await recorder.log(`line ${line}`)
  await recorder.flush()

  const [first, second = 0] = timer.mock.calls.map(([, ms]) => ms)
  expect(first).toBe(5)
  expect([second > 5, second <= 100]).toEqual([true, true])
  // One line, two full groups, and the rest.
  expect(counts.writes).toBe(4)
})

test('lines that are not stored yet go with the outcome', async () => {
  const { recorder, counts } = recording()

  await recorder.log('only')

  expect((await recorder.takeUnstored()).map(({ data }) => data)).toEqual([{ message: 'only' }])
  expect(counts.writes).toBe(0)
})
