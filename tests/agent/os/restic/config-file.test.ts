import { expect, test } from 'bun:test'
import { unsealed } from '#agent/os/restic/cipher.ts'
import { configFor, isIrreducible } from '#agent/os/restic/config-file.ts'
import { randomKeys } from '#tests/support/storage/key-file.ts'

let count = 0
const random = { text: (length: number) => `${count++}`.repeat(length) }

test('a configuration is that of a new repository, sealed with its keys', () => {
  const keys = randomKeys()

  const [one, other] = [configFor(keys, random), configFor(keys, random)].map((file) =>
    JSON.parse(String(unsealed(keys, file))),
  )

  const config = {
    version: 2,
    id: expect.stringMatching(/^[0-9a-f]{64}$/),
    chunker_polynomial: expect.stringMatching(/^[23][0-9a-f]{13}$/),
  }
  expect([one, other]).toEqual([config, config])
  expect(isIrreducible(BigInt(`0x${one.chunker_polynomial}`))).toBe(true)
  expect(one.chunker_polynomial).not.toBe(other.chunker_polynomial)
  expect(unsealed(randomKeys(), configFor(keys, random))).toBeUndefined()
})

test.each([
  // Of chunker, the library of restic, and of a repository.
  ...[0x3da3358b4dc173n, 0x25b468838dcb75n].map((known) => [known, true]),
  // x^53 + 1 has the factor x + 1; x^53 + x the factor x; the last one is a product of two.
  ...[(1n << 53n) | 1n, (1n << 53n) | 2n, 0x38f339bc4d21d1n ^ 2n].map((other) => [other, false]),
] as const)('the polynomial %p is irreducible: %p', (polynomial, is) => {
  expect(isIrreducible(polynomial as bigint)).toBe(is as boolean)
})
