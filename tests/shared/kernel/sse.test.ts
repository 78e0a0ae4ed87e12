import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { encodeEvent, isTerminal, PING, readEvents, type StoredEvent } from '#shared/kernel/sse.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { runs } from '#tests/support/runs.ts'

const encoder = new TextEncoder()

/** What a stream could stumble over: its own marks, ends of lines, letters of several bytes. */
const text = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        '\n',
        '\n\n',
        '\r',
        '\u2028',
        ': ',
        '"',
        '\\',
        '\0',
        'é',
        '€',
        '😀',
        'data: {}',
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join('')),
  fc.string({ unit: anyCharacter }),
)

/** What is inside of a value is for JSON.parse to read; one in eight shows that it passes. */
const value = fc.oneof(
  { weight: 7, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc
      .jsonValue({ maxDepth: 2, stringUnit: 'binary' })
      .map((any) => JSON.parse(JSON.stringify(any))),
  },
)

const anyEvent: fc.Arbitrary<StoredEvent> = fc.record({
  id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  event: fc.constantFrom('log', 'complete', 'error'),
  data: fc
    .array(
      fc.tuple(
        text.filter((key) => key !== '__proto__'),
        value,
      ),
      { maxLength: 3 },
    )
    .map((fields) => Object.fromEntries(fields)),
})

test('writes an event as id, event and one line of JSON', () => {
  const event: StoredEvent = { id: 3, event: 'log', data: { message: 'one\ntwo\r\u2028three' } }

  expect(encodeEvent(event)).toBe(
    'id: 3\nevent: log\ndata: {"message":"one\\ntwo\\r\u2028three"}\n\n',
  )
})

test.each([
  ['log', false],
  ['complete', true],
  ['error', true],
] as const)('reports whether %s is the last event', (event, last) => {
  expect(isTerminal({ event })).toBe(last)
})

test('reads back what it wrote, in any pieces', async () => {
  const cuts = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { maxLength: 4 }), cuts, async (events, sizes) => {
      const wire = encoder.encode(events.map((event) => encodeEvent(event) + PING).join(''))

      expect(await read(cut(wire, sizes))).toEqual(events)
    }),
    runs(300),
  )
})

test('yields an event as soon as it is complete', async () => {
  const events = readEvents(chunksThenFail(encodeEvent({ id: 1, event: 'log', data: {} })))

  expect((await events.next()).value).toEqual({ id: 1, event: 'log', data: {} })
  await expect(events.next()).rejects.toThrow('reset by the network')
})

test('drops an incomplete event', async () => {
  const whole = encodeEvent({ id: 1, event: 'log', data: {} })

  expect(await read([whole, 'id: 2\nevent: complete\ndata: {"st'])).toHaveLength(1)
})

test('ignores comments and empty blocks', async () => {
  expect(await read([PING, '\n\n', ':\n\n', ': data: {}\n\n'])).toEqual([])
})

test.each([
  ['an unknown kind', 'id: 1\nevent: exec\ndata: {}\n\n'],
  ['no kind', 'id: 1\ndata: {}\n\n'],
  ['no id', 'event: log\ndata: {}\n\n'],
  ['id 0', 'id: 0\nevent: log\ndata: {}\n\n'],
  ['a negative id', 'id: -1\nevent: log\ndata: {}\n\n'],
  ['a broken id', 'id: 1.5\nevent: log\ndata: {}\n\n'],
  ['an id beyond exact numbers', 'id: 99999999999999999999\nevent: log\ndata: {}\n\n'],
  ['no data', 'id: 1\nevent: log\n\n'],
  ['data that is no JSON', 'id: 1\nevent: log\ndata: {"a":\n\n'],
  ['data that is a list', 'id: 1\nevent: log\ndata: []\n\n'],
  ['data that is null', 'id: 1\nevent: log\ndata: null\n\n'],
  ['another protocol', 'HTTP/1.1 200 OK\ncontent-type: text/html\n\n'],
])('refuses %s', async (_, wire) => {
  await expect(read([wire])).rejects.toThrow('The agent sent a malformed event')
})

test('refuses an event over 2 MiB while it arrives', async () => {
  const flood = function* () {
    yield 'id: 1\nevent: log\ndata: {"message":"'
    for (let mebibyte = 0; mebibyte < 64; mebibyte += 1) yield 'x'.repeat(1 << 20)
    throw new Error('read on after 2 MiB')
  }

  await expect(read(flood())).rejects.toThrow('The agent sent a malformed event')
})

test('refuses an event over 2 MiB that arrives in one piece', async () => {
  const event = encodeEvent({ id: 1, event: 'log', data: { message: 'x'.repeat(3 << 20) } })

  await expect(read([event])).rejects.toThrow('The agent sent a malformed event')
})

test('reads an event of a mebibyte in small pieces', async () => {
  const event: StoredEvent = { id: 1, event: 'log', data: { message: 'x'.repeat(1 << 20) } }
  const wire = encoder.encode(encodeEvent(event))

  expect(await read(cut(wire, [64]))).toEqual([event])
})

test('terminates with events or a refusal for any input', async () => {
  const lines = fc.constantFrom('id: 1', 'event: log', 'data: {}', '', ':', 'data', '\r', 'id:2')
  const noise = fc.array(fc.oneof(lines, fc.string({ unit: anyCharacter })), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(noise, async (parts) => {
      const outcome = await read([parts.join('\n')]).catch((error: unknown) => String(error))
      if (typeof outcome === 'string') expect(outcome).toContain('malformed event')
    }),
    runs(500),
  )
})

async function read(chunks: Iterable<string | Uint8Array>): Promise<StoredEvent[]> {
  const bytes = async function* () {
    for (const chunk of chunks) yield typeof chunk === 'string' ? encoder.encode(chunk) : chunk
  }
  return Array.fromAsync(readEvents(bytes()))
}

/** The bytes in pieces of the given sizes, over and over. */
function* cut(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  let at = 0
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1)
    yield bytes.subarray(at, at + size)
    at += size
  }
}

async function* chunksThenFail(chunk: string): AsyncGenerator<Uint8Array> {
  yield encoder.encode(chunk)
  throw new Error('reset by the network')
}
