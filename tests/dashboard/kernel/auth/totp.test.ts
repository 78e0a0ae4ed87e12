import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  codeOf,
  fromBase32,
  otpauthUri,
  stepAt,
  stepWith,
  toBase32,
} from '#dashboard/kernel/auth/totp.ts'
import { runs } from '#tests/support/runs.ts'

const secret = Buffer.from('12345678901234567890')
const at = (seconds: number) => new Date(seconds * 1000)

describe('a code of RFC 6238, appendix B (the last six of its eight digits),', () => {
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at %d is %s', (seconds, code) => {
    expect(codeOf(secret, stepAt(at(seconds)))).toBe(code.slice(-6))
  })
})

describe('a code of RFC 4226, appendix D,', () => {
  test.each(
    [
      '755224',
      '287082',
      '359152',
      '969429',
      '338314',
      '254676',
      '287922',
      '162583',
      '399871',
      '520489',
    ].map((code, step) => [step, code] as const),
  )('for counter %d is %s', (step, code) => {
    expect(codeOf(secret, step)).toBe(code)
  })
})

describe('the code of a step', () => {
  const now = at(1_234_567_890)
  const step = stepAt(now)
  const accepts = (of: number, last_step = 0) =>
    stepWith(codeOf(secret, of), { secret, last_step, now })

  test('counts one step before and after its own, and no other', () => {
    const accepted = [-3, -2, -1, 0, 1, 2, 3].map((offset) => accepts(step + offset))

    expect(accepted).toEqual([undefined, undefined, step - 1, step, step + 1, undefined, undefined])
  })

  test('does not count when it, or a newer one, was used', () => {
    const after = [step - 1, step, step + 1].map((last) =>
      [-1, 0, 1].map((offset) => accepts(step + offset, last)),
    )

    expect(after).toEqual([
      [undefined, step, step + 1],
      [undefined, undefined, step + 1],
      [undefined, undefined, undefined],
    ])
  })

  test.each(['', '0', '00000', '0000000', ' ', 'abcdef', '１２３４５６', '005924\0', '-05924'])(
    'is not %j',
    (code) => {
      expect(stepWith(code, { secret, last_step: 0, now })).toBeUndefined()
    },
  )
})

test('base32 is that of RFC 4648 without padding', () => {
  const words = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar']

  expect(words.map((word) => toBase32(Buffer.from(word)))).toEqual([
    '',
    'MY',
    'MZXQ',
    'MZXW6',
    'MZXW6YQ',
    'MZXW6YTB',
    'MZXW6YTBOI',
  ])
})

test('base32 is read as it was written', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(fromBase32(toBase32(bytes))).toEqual(new Uint8Array(bytes))
    }),
    runs(),
  )
})

test('the address for an app names the account and the parameters', () => {
  const uri = otpauthUri('GEZDGNBVGY3TQOJQ', 'ops+night@example.com')

  expect(uri).toBe(
    'otpauth://totp/Hosting%20Control:ops%2Bnight%40example.com?secret=GEZDGNBVGY3TQOJQ&issuer=Hosting%20Control&algorithm=SHA1&digits=6&period=30',
  )
})
