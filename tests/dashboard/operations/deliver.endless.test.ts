import { expect, setDefaultTimeout, test } from 'bun:test'
import { encodeEvent } from '#shared/sse.ts'
import { type Chunks, lines, outcomeOf } from '#tests/support/dashboard/endless.ts'

setDefaultTimeout(120_000)
const tooMuch = {
  error: 'Internal error',
  message: 'The agent sent more than 50,000 events or 32 MiB for one operation',
}
function* forever(chunk: string): Generator<string> {
  for (;;) yield chunk
}
const line = encodeEvent({ id: 1, event: 'log', data: { message: 'x' } })
test.each<[string, () => Chunks, number]>([
  ['lines', () => lines(Number.POSITIVE_INFINITY, 10), 20_001],
  ['long lines', () => lines(Number.POSITIVE_INFINITY, 16_384), 257],
  ['the same event', () => forever(line.repeat(100)), 2],
  ['comments', () => forever(': ping\n\n'.repeat(1000)), 1],
  ['empty lines', () => forever('\n'.repeat(10_000)), 1],
])('fails an operation whose agent sends endless %s', async (_, endless, last) => {
  const { status, error, ends } = await outcomeOf([endless])

  expect<unknown>({ status, error }).toEqual({ status: 'failed', error: tooMuch })
  expect<unknown>(ends.at(-1)).toEqual({ id: last, event: 'error', data: tooMuch })
})

test('fails an operation whose agent breaks off again and again after thousands of events', async () => {
  const { status, error } = await outcomeOf([
    () => [line.repeat(5000)][Symbol.iterator]() as Chunks,
  ])

  expect<unknown>({ status, error }).toEqual({ status: 'failed', error: tooMuch })
})

test('fails an operation that exceeds the time limit, whatever its agent sends', async () => {
  async function* slowly() {
    for (let id = 1; ; id++) {
      yield encodeEvent({ id, event: 'log', data: { message: 'x' } })
      await Bun.sleep(5)
    }
  }

  const { status, error, ends } = await outcomeOf([slowly], { longest_ms: 100 })

  const tooLong = { error: 'Internal error', message: 'The operation exceeded the time limit' }
  expect<unknown>({ status, error }).toEqual({
    status: 'failed',
    error: { ...tooLong, code: 'timed_out' },
  })
  expect(ends.at(-1)).toMatchObject({ event: 'error', data: tooLong })
})
