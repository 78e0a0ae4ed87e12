import { describe, expect, test } from 'bun:test'
import { readJson } from '#dashboard/kernel/http/body.ts'

const LIMITS = { most_kib: 1, within_ms: 20 }
const bytes = (text: string) => new TextEncoder().encode(text)

/** A request whose body comes in these pieces; without `ends` it is never complete. */
function sent(pieces: readonly string[], ends = true) {
  let cancelled = false
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(bytes(piece))
      if (ends) controller.close()
    },
    cancel() {
      cancelled = true
    },
  })
  const headers = { 'content-type': 'application/json' }
  const request = new Request('http://localhost/', { method: 'POST', headers, body })
  return { request, cancelled: () => cancelled }
}

const answerTo = (request: Request) =>
  readJson(request, LIMITS).catch((error: { body: unknown }) => error.body)

describe('a body', () => {
  test('is read in any pieces', async () => {
    expect(await answerTo(sent(['{"a', '":"b', '"}']).request)).toEqual({ a: 'b' })
    expect(await answerTo(sent([]).request)).toEqual({})
  })

  test('that does not end is refused after its time limit', async () => {
    const { request, cancelled } = sent(['{"a":'], false)

    expect(await answerTo(request)).toEqual({
      error: 'Bad request',
      message: 'The body must arrive within 0.02 seconds',
    })
    expect(cancelled()).toBe(true)
  })

  test('that is too large is refused early', async () => {
    const { request } = sent(['"', 'x'.repeat(1000), 'x'.repeat(23), '"'], false)

    expect(await answerTo(request)).toEqual({
      error: 'Payload too large',
      message: 'The body must have at most 1 KiB',
    })
  })

  test('of the maximum size is read', async () => {
    const a = 'x'.repeat(1016)
    expect(await answerTo(sent([`{"a":"${a}"}`]).request)).toEqual({ a })
  })
})
