import { expect, test } from 'bun:test'
import { masterKeysIn } from '#agent/os/restic/key-file.ts'
import { Secret } from '#shared/secret.ts'
import { keyFileOf, randomKeys } from '#tests/support/storage/key-file.ts'

const PASSWORD = new Secret('password')

test('a key file has the keys of a repository for its password alone', async () => {
  const keys = randomKeys()
  const text = await keyFileOf(keys, 'password')

  expect(await masterKeysIn(text, PASSWORD)).toEqual(keys)
  expect(await masterKeysIn(text, new Secret('another'))).toBeUndefined()
})

test.each([
  ['is no JSON', 'nothing'],
  ['is of another kind', '{"kdf":"pbkdf2"}'],
  ['needs more memory than restic uses', { N: 2 ** 25 }],
  ['needs more time than restic uses', { p: 1000 }],
  ['has costs that scrypt cannot have', { N: 15 }],
  ['has no data', { data: '' }],
  ['has other data', { data: Buffer.alloc(100).toString('base64') }],
])('a key file has no keys if it %s', async (_, change) => {
  const whole = JSON.parse(await keyFileOf(randomKeys(), 'password'))
  const text = typeof change === 'string' ? change : JSON.stringify({ ...whole, ...change })

  expect(await masterKeysIn(text, PASSWORD)).toBeUndefined()
})
