// tier: gate
import { expect, test } from 'bun:test'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { fingerprintOf } from '#dashboard/kernel/trust/recovery-key.ts'
import {
  answerOf,
  createKeyPair,
  readKit,
  sealTo,
} from '#dashboard/web/pages/backups/kit/key-pair.ts'
import { PublicKey } from '#shared/backups/backup.ts'
import { kit, opened, sealed } from '#tests/support/dashboard/backups.ts'
import { rsa } from '#tests/support/key-pair.ts'

test('a pair has 3072 bits, and its public key is one that the API takes', async () => {
  const { public_key, private_key } = await createKeyPair()

  expect(PublicKey.parse(public_key)).toBe(public_key)
  expect(createPublicKey(private_key).export({ type: 'spki', format: 'pem' })).toBe(public_key)
  expect(createPrivateKey(private_key).asymmetricKeyDetails?.modulusLength).toBe(3072)
})

test('the private key answers the challenge, and another one does not', async () => {
  const challenge = sealed('thirty-two bytes')

  expect(atob(await answerOf(kit.privateKey, challenge))).toBe('thirty-two bytes')
  await expect(answerOf(rsa().privateKey, challenge)).rejects.toThrow()
})

test('a kit knows its public key, and opens what was encrypted to it alone', async () => {
  const own = await readKit(kit.privateKey)
  const password = await own.open(sealed('password'))

  expect([own.public_key, own.fingerprint]).toEqual([kit.publicKey, fingerprintOf(kit.publicKey)])
  expect(new TextDecoder().decode(password)).toBe('password')
  expect(await own.open(sealed('password', rsa().publicKey))).toBe(undefined)
  expect(readKit('no key')).rejects.toThrow()
})

test('what is encrypted to a public key is opened by its private key', async () => {
  const dashboard = rsa()

  const text = await sealTo(dashboard.publicKey, new TextEncoder().encode('password'))

  expect(atob(opened(dashboard.privateKey, text))).toBe('password')
})
