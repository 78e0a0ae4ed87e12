import { expect, setDefaultTimeout, test } from 'bun:test'
import { done, lines, outcomeOf, then } from '#tests/support/dashboard/endless.ts'

setDefaultTimeout(120_000)
const note = 'The rest of the output is omitted: an operation keeps 20,000 lines and 4 MiB'

const size = (message: string) => JSON.stringify({ message }).length

test('keeps 20,000 lines of an operation, and the last says that the rest is omitted', async () => {
  const record = await outcomeOf([() => then(lines(30_000, 1), 30_001)])

  expect<unknown>(record).toEqual({
    status: 'success',
    error: null,
    lines: 20_000,
    last: 20_000,
    bytes: 19_999 * size('x') + size(note),
    ends: [
      { id: 20_000, event: 'log', data: { message: note } },
      { id: 20_001, event: 'complete', data: done },
    ],
  })
})

test('keeps 4 MiB of an operation with lines of any length', async () => {
  const record = await outcomeOf([() => then(lines(1000, 20_000), 1001)])

  const line = size('x'.repeat(16_384))
  const fit = Math.floor(((4 << 20) - size(note)) / line)
  expect<unknown>(record).toEqual({
    status: 'success',
    error: null,
    lines: fit + 1,
    last: fit + 1,
    bytes: fit * line + size(note),
    ends: [
      { id: fit + 1, event: 'log', data: { message: note } },
      { id: fit + 2, event: 'complete', data: done },
    ],
  })
})

test('says once that output was omitted when the connection breaks and the agent continues', async () => {
  const record = await outcomeOf([
    () => lines(25_000, 1),
    () => then([...lines(26_000, 1)].slice(20_000), 26_001),
  ])

  expect(record).toMatchObject({
    status: 'success',
    lines: 20_000,
    bytes: 19_999 * size('x') + size(note),
  })
})
