import { expect, test } from 'bun:test'
import {
  countCodes,
  hashesOf,
  makeRecoveryCodes,
  withoutCode,
} from '#dashboard/kernel/auth/recovery-codes.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'

const secret = Buffer.from('12345678901234567890')

test('there are ten recovery codes of ten letters and digits of base32', () => {
  const codes = makeRecoveryCodes(secureRandom)

  expect(codes).toHaveLength(10)
  expect(new Set(codes).size).toBe(10)
  expect(codes.filter((code) => !/^[a-z2-7]{5}-[a-z2-7]{5}$/.test(code))).toEqual([])
})

test('a recovery code is valid once, also in capitals, without hyphen and with blanks', () => {
  const codes = makeRecoveryCodes(secureRandom)
  const [first = '', second = '', third = ''] = codes
  const stored = hashesOf(codes, secret)

  const one = withoutCode(stored, first.toUpperCase(), secret) ?? ''
  const two = withoutCode(one, second.replace('-', ''), secret) ?? ''
  const three = withoutCode(two, ` ${third.replace('-', ' ')} `, secret) ?? ''

  expect([one, two, three].map(countCodes)).toEqual([9, 8, 7])
  expect([first, second, third].map((code) => withoutCode(three, code, secret))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(withoutCode(three, codes[3] ?? '', secret)).toBeString()
})

test('what is stored has no code, and belongs to one secret', () => {
  const codes = makeRecoveryCodes(secureRandom)
  const stored = hashesOf(codes, secret)

  expect(codes.filter((code) => stored.includes(code.slice(0, 5)))).toEqual([])
  expect(withoutCode(stored, codes[0] ?? '', Buffer.from('another secret'))).toBeUndefined()
  expect(withoutCode('', codes[0] ?? '', secret)).toBeUndefined()
  expect(withoutCode(stored, '', secret)).toBeUndefined()
})
