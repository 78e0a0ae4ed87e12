import { expect, test } from 'bun:test'
import { isIP } from 'node:net'
import fc from 'fast-check'
import { isHostname, isIpLiteral } from '#shared/names.ts'
import { runs } from '#tests/support/runs.ts'

const longest = [63, 63, 63, 61].map((length) => 'a'.repeat(length)).join('.')

test.each([
  'web1',
  'web1.example.com',
  'a-b.example',
  '1host.example',
  'xn--mnchen-3ya.de',
  longest,
  '10.0.0.1',
  '255.255.255.255',
  '::1',
  '2001:db8::7',
  '::ffff:10.0.0.1',
])('accepts the host %s', (host) => {
  expect(isHostname(host)).toBe(true)
})

test.each([
  '',
  '.',
  'web1.',
  '.web1',
  'a..b',
  '-web1',
  'web1-',
  'web_1',
  'web 1',
  'web1:22',
  'root@web1',
  'web1/x',
  'web1\n',
  'web1;reboot',
  '$(id)',
  '[::1]',
  'fe80::1%eth0',
  ':::',
  '::0:',
  '1::2::3',
  '256.1.1.1',
  '01.2.3.4',
  '1.2.3',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  'web1.0x7f',
  `${longest}a`,
  'a'.repeat(64),
])('refuses the host %p', (host) => {
  expect(isHostname(host)).toBe(false)
})

test('accepts only addresses that the runtime accepts', () => {
  const near = fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.'), maxLength: 24 })
  fc.assert(
    fc.property(fc.oneof(fc.ipV4Extended(), fc.ipV6(), near), (address) => {
      if (isIpLiteral(address)) expect(isIP(address)).not.toBe(0)
    }),
    runs(3000),
  )
})

test('accepts every ordinary address', () => {
  const hexadecimal = fc.ipV6().filter((address) => !address.includes('.'))
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), hexadecimal), (address) => {
      expect(isIpLiteral(address)).toBe(true)
      expect(isHostname(address)).toBe(true)
    }),
    runs(1000),
  )
})
