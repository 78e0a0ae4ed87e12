import { expect, test } from 'bun:test'
import { decodeAnswer, decodeBytes, encodeRequest } from '#agent/kernel/host/fastcgi.ts'

/** The content of all records of a type, until the first empty one. */
function streamOf(bytes: Buffer, wanted: number) {
  const parts: Buffer[] = []
  let ended = 0
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt16BE(at + 4)
    const content = bytes.subarray(at + 8, at + 8 + length)
    if (bytes[at + 1] === wanted) {
      if (length === 0) ended += 1
      else parts.push(content)
    }
    at += 8 + length
  }
  return { content: Buffer.concat(parts), ended }
}

const STDIN = 5
const record = (type: number, content: Uint8Array) => {
  const header = Buffer.from([1, type, 0, 1, 0, 0, 0, 0])
  header.writeUInt16BE(content.length, 4)
  return Buffer.concat([header, content])
}

test.each([0, 1, 65_535, 65_536, 200_000])('sends %i bytes, and their end once', (size) => {
  const content = Buffer.alloc(size, 7)

  const sent = streamOf(encodeRequest({ A: 'b'.repeat(300) }, content), STDIN)

  expect([sent.content.equals(content), sent.ended]).toEqual([true, 1])
})

test('params longer than one record arrive complete', () => {
  const PARAMS = 4

  const sent = streamOf(encodeRequest({ A: 'b'.repeat(100_000) }), PARAMS)

  expect([sent.content.length, sent.ended]).toEqual([100_006, 1])
})

test('an answer is its bytes, or a text', () => {
  const answer = Buffer.concat([
    record(6, Buffer.from([0xff])),
    record(6, Buffer.from('a')),
    record(3, Buffer.alloc(8)),
  ])

  expect(decodeBytes(answer)).toEqual(Buffer.from([0xff, 97]))
  expect(decodeAnswer(answer)).toBe('\ufffda')
  expect(decodeBytes(answer.subarray(0, 12))).toBeUndefined()
})
