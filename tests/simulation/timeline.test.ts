import { expect, test } from 'bun:test'
import { yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import { Timeline } from '#tests/support/simulation/timeline.ts'

test('time stands still while long work lets other work run', async () => {
  const timeline = new Timeline()
  const giveBack = timeline.install()
  const seen: number[] = []
  try {
    setTimeout(async () => {
      for (let piece = 0; piece < 5; piece++) await yieldToEventLoop()
      seen.push(timeline.now)
    }, 10)
    await timeline.run(1_000, () => false)
  } finally {
    giveBack()
  }

  expect(seen).toEqual([10])
})
