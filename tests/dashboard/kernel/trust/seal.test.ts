import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { runs } from '#tests/support/runs.ts'

const sealer = makeSealer('s'.repeat(43), secureRandom)
const other = makeSealer('t'.repeat(43), secureRandom)

test('opens what it sealed, and the ciphertext reveals nothing', () => {
  const purpose = fc.string({ maxLength: 20 })

  fc.assert(
    fc.property(purpose, fc.string({ unit: anyCharacter, minLength: 8 }), (what, secret) => {
      const seal = () => sealer.seal(what, new Secret(secret))
      const [once, twice] = [seal(), seal()]
      expect(sealer.open(what, once).reveal()).toBe(secret)
      expect(once).not.toBe(twice)
      expect(Buffer.from(once, 'base64url').includes(secret)).toBe(false)
    }),
    runs(),
  )
})

test('opens nothing for another purpose or with another key file', () => {
  const sealed = sealer.seal('signing-key', new Secret('secret'))

  expect(() => sealer.open('enrolment-code', sealed)).toThrow()
  expect(() => other.open('signing-key', sealed)).toThrow()
})

test('opens nothing that was changed or shortened', () => {
  const sealed = Buffer.from(sealer.seal('signing-key', new Secret('secret')), 'base64url')

  fc.assert(
    fc.property(fc.nat(sealed.length * 8 - 1), (bit) => {
      const changed = Buffer.from(sealed)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => sealer.open('signing-key', changed.toString('base64url'))).toThrow()
    }),
    runs(),
  )
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), (length) => {
      const cut = sealed.subarray(0, length).toString('base64url')
      expect(() => sealer.open('signing-key', cut)).toThrow()
    }),
    runs(),
  )
})

test('derives bytes that depend on the key file and on the purpose', () => {
  const derived = sealer.derive('hosting-record/1')

  // Computed with hmac and hashlib of Python, as RFC 5869 has it.
  expect(derived.toString('hex')).toBe(
    'e737d92ceea2c598daecf7563b837251468557841831ba17eae19220c63714d5',
  )
  expect(sealer.derive('other')).not.toEqual(derived)
  expect(other.derive('hosting-record/1')).not.toEqual(derived)
})
