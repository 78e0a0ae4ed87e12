import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeMessage, encodeQuestion } from '#agent/kernel/host/real/name-servers.ts'
import { forAll } from '#tests/support/for-all.ts'

const QUESTION = '076578616d706c6504746573740000010001'

test('a question follows RFC 1035, without recursion', () => {
  const header = '00070000' + '0001000000000000'
  expect(encodeQuestion(7, 'example.test', 'A').toString('hex')).toBe(header + QUESTION)
})

const answer = Buffer.from(
  [
    ...['0007', '8400', '0001', '0003', '0001', '0001', QUESTION],
    // www at the pointer to the question, an alias of it; then an A and an AAAA record of it.
    ...['03777777c00c', '0005', '0001', '00000e10', '0002', 'c00c'],
    ...['c00c', '0001', '0001', '00000e10', '0004', '05090001'],
    ...['c00c', '001c', '0001', '00000e10', '0010', '2a0104f8000000000000000000000001'],
    ...['c00c', '0002', '0001', '00000e10', '0005', '024e53c00c'],
    ...['c00c', '0010', '0001', '00000e10', '0002', '0161'],
  ].join(''),
  'hex',
)
const name = 'example.test'

test('an answer has the records of its sections, and names without pointers', () => {
  expect(decodeMessage(answer)).toEqual({
    ...{ id: 7, code: 'NOERROR', is_authoritative: true, is_truncated: false, question: name },
    answers: [
      { name: 'www.example.test', type: 'CNAME', data: name },
      { name, type: 'A', data: '5.9.0.1' },
      { name, type: 'AAAA', data: '2a01:4f8::1' },
    ],
    authority: [{ name, type: 'NS', data: 'ns.example.test' }],
    additional: [{ name, type: 'TXT', data: '' }],
  })
})

test('a question, an answer that is cut off, and a name that points to itself are none', () => {
  expect(decodeMessage(encodeQuestion(7, name, 'A'))).toBeUndefined()
  // The text of the last record has no use.
  for (let length = 0; length < answer.length - 2; length++)
    expect(decodeMessage(answer.subarray(0, length))).toBeUndefined()
  const looping = Buffer.from('00078400000100000000000' + '0c00c00010001', 'hex')
  expect(decodeMessage(looping)).toBeUndefined()
})

test('any bytes are read without an error', () => {
  forAll(fc.nat(answer.length - 1), fc.uint8Array({ maxLength: 40 }), (at, bytes) => {
    const damaged = Buffer.from(answer)
    damaged.set(bytes.subarray(0, answer.length - at), at)
    decodeMessage(damaged)
  })
})
