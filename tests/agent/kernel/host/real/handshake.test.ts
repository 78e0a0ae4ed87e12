import { expect, test } from 'bun:test'
import { fingerprintOf } from '#agent/kernel/host/fingerprint.ts'
import { handshake } from '#agent/kernel/host/real/handshake.ts'
import { certificate } from '#tests/support/fixtures/made-certificate.ts'

const domain = 'a.example'
const [own, other] = await Promise.all(['01', '02'].map((serial) => certificate(serial)))
const [pem = '', key = ''] = [own?.pem, own?.private_key]

test('a client gets the first certificate of the chain', async () => {
  const chain = `${pem}\n${other?.pem}`

  expect(await handshake({ domain, key, chain })).toBe(fingerprintOf(pem))
})

test.each([
  ['another key', { key: other?.private_key ?? '' }],
  ['no certificate', { chain: 'none' }],
  ['no key', { key: '' }],
])('fails for %s', async (_, wrong) => {
  await expect(handshake({ domain, key, chain: pem, ...wrong })).rejects.toThrow()
})
