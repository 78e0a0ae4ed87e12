import { expect, test } from 'bun:test'
import type { Reading } from '#dashboard/features/metrics/queries.ts'
import { ReadingQueue } from '#dashboard/features/metrics/reading-queue.ts'
import { SteppedClock } from '#tests/support/dashboard/clock.ts'
import { METRICS } from '#tests/support/dashboard/pulses.ts'

const readingOf = (server_id: number): Reading => ({ server_id, at: 0, metrics: METRICS })

test('readings of a moment are one write, and each knows when it is stored', async () => {
  const clock = new SteppedClock()
  const writes: number[][] = []
  const queue = new ReadingQueue({
    clock,
    async store(readings) {
      writes.push(readings.map(({ server_id }) => server_id))
    },
  })
  const stored = Promise.all([1, 2].map((id) => queue.add(readingOf(id))))
  const early = writes.length
  await clock.pass(100)
  await stored
  const last = queue.add(readingOf(3))
  await clock.pass(100)
  await last

  expect([early, writes]).toEqual([0, [[1, 2], [3]]])
})

test('a failed write fails for those who wait for it', async () => {
  const clock = new SteppedClock()
  const queue = new ReadingQueue({ clock, store: () => Promise.reject(new Error('full')) })
  const failed = queue.add(readingOf(1)).catch((error: Error) => error.message)
  await clock.pass(100)

  expect(await failed).toBe('full')
})
