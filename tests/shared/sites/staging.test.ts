import { expect, test } from 'bun:test'
import { Staging } from '#shared/sites/staging.ts'

const crypt = `$6$saltsaltsaltsalt$${'a'.repeat(86)}`
const salted = '{SSHA}PKwZ12abz9sqsXz7ccvmQCzeQlhub25jZQ=='

test.each([
  ['crypt with SHA-512', crypt, true],
  ['crypt with a number of rounds', `$6$rounds=1000$salt$${'a'.repeat(86)}`, true],
  ['salted SHA-1', salted, true],
  ['a password', 'letmein', false],
  ['a password that nginx would compare as it is', '{PLAIN}letmein', false],
  ['a second line for nginx', `${crypt}\nroot:{PLAIN}letmein`, false],
])('the hash of a staging password: %s', (_, password_hash, isAccepted) => {
  const staging = { of: 'shop.example', user: 'staging', password_hash }
  expect(Staging.safeParse(staging).success).toBe(isAccepted)
})

test.each(['', 'a:b', 'a\nb', 'a b', 'ä'])('refuses the name %j of a visitor', (user) => {
  const staging = { of: 'shop.example', user, password_hash: salted }
  expect(Staging.safeParse(staging).success).toBe(false)
})
