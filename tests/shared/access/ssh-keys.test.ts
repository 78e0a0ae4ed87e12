import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readSshKey } from '#shared/access/ssh-keys.ts'
import { forAll } from '#tests/support/for-all.ts'
import { ANNA, ECDSA, RSA_1024, RSA_2048, securityKey } from '#tests/support/ssh-keys.ts'

const application = new TextEncoder().encode('ssh:')
const blobOf = (line: string) => line.split(' ')[1] ?? ''
const SECURITY_KEYS = [
  securityKey('sk-ssh-ed25519@openssh.com', new Uint8Array(32), application),
  securityKey(
    'sk-ecdsa-sha2-nistp256@openssh.com',
    new TextEncoder().encode('nistp256'),
    Uint8Array.from({ length: 65 }, (_, at) => (at === 0 ? 4 : 1)),
    application,
  ),
]

test.each([ANNA, RSA_2048, ...ECDSA, ...SECURITY_KEYS])('reads %s', (line) => {
  const [type, blob] = line.split(' ')

  expect(readSshKey(`${line} anna@home\n`)).toEqual({ type, blob, comment: 'anna@home' } as never)
})

test.each([
  ['', 'Must begin with one of'],
  ['anna', 'Must begin with one of'],
  [`command="id" ${ANNA}`, 'Must begin with one of'],
  [`no-pty ${ANNA}`, 'Must begin with one of'],
  [`cert-authority ${ANNA}`, 'Must begin with one of'],
  [ANNA.replace('ssh-ed25519', 'ssh-dss'), 'Must begin with one of'],
  [ANNA.replace('ssh-ed25519', 'ssh-rsa'), 'The key is not of the type ssh-rsa'],
  [ANNA.slice(0, -4), 'Must be a complete public key'],
  [ANNA.slice(0, -3), 'Must be a complete public key'],
  [`${ANNA}AAAA`, 'Must be a complete public key'],
  ['ssh-ed25519', 'Must be a complete public key'],
  ['ssh-ed25519 ====', 'Must be a complete public key'],
  [`${ANNA}\n${ANNA}`, 'Must be one line'],
  [`${ANNA} a\u0000b`, 'Must be one line'],
  [RSA_1024, 'An RSA key must have at least 2048 bits'],
  [`ssh-ed25519 ${'A'.repeat(5000)}`, 'Must have at most 4096 characters'],
  ['-----BEGIN OPENSSH PRIVATE KEY-----', 'Must be the public key: never send the private key'],
])('refuses %j', (text, problem) => {
  expect(readSshKey(text)).toStartWith(problem)
})

test('a damaged key is never one of its type, whatever the damage', () => {
  const blob = Buffer.from(blobOf(ANNA), 'base64')
  const damaged = fc.record({
    at: fc.nat(18),
    byte: fc.integer({ min: 1, max: 255 }),
    most: fc.nat(blob.length),
  })
  forAll(damaged, ({ at, byte, most }) => {
    const changed = Buffer.from(blob)
    changed[at] = (changed[at] ?? 0) ^ byte
    expect(typeof readSshKey(`ssh-ed25519 ${changed.toString('base64')}`)).toBe('string')
    if (most === blob.length) return
    const cut = blob.subarray(0, most).toString('base64')
    expect(typeof readSshKey(`ssh-ed25519 ${cut}`)).toBe('string')
  })
})

test('any text is a key or gets a sentence', () => {
  forAll(fc.string(), (text) => {
    expect(['string', 'object']).toContain(typeof readSshKey(`ssh-rsa ${text}`))
  })
})
