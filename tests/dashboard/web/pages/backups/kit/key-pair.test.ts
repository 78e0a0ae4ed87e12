import { expect, test } from 'bun:test'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { answerOf, createKeyPair } from '#dashboard/web/pages/backups/kit/key-pair.ts'
import { PublicKey } from '#shared/backup.ts'
import { kit, rsa, sealed } from '#tests/support/dashboard/backups.ts'

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
