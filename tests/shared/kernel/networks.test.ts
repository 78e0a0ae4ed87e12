import { expect, test } from 'bun:test'
import { canonicalNetwork, isInNetworks } from '#shared/kernel/networks.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7/32', '203.0.113.7'],
  ['203.0.113.7/24', '203.0.113.0/24'],
  ['203.0.113.7/0', '0.0.0.0/0'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['2001:db8::1/128', '2001:db8::1'],
  ['2001:db8:1:2:3::/48', '2001:db8:1::/48'],
  ['2001:db8:1:ffff::/49', '2001:db8:1:8000::/49'],
  ['::/0', '::/0'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
  ['::ffff:0:0/96', '0.0.0.0/0'],
  ['::ffff:0:0/95', '::fffe:0:0/95'],
])('the normal form of %s is %s', (text, normal) => {
  expect(canonicalNetwork(text)).toBe(normal)
  expect(canonicalNetwork(normal)).toBe(normal)
})

test.each([
  '',
  '203.0.113',
  '203.0.113.256',
  '203.0.113.07',
  '203.0.113.7/33',
  '203.0.113.7/',
  '203.0.113.7/+8',
  '203.0.113.7/08',
  '203.0.113.7/8/8',
  '203.0.113.7 ',
  '2001:db8::/129',
  '2001:db8::1%eth0',
  'fe80::g',
  'office.example',
])('%j is no network', (text) => {
  expect(canonicalNetwork(text)).toBeUndefined()
  expect(isInNetworks(text, ['0.0.0.0/0', '::/0'])).toBe(text.includes('%'))
})

test.each([
  ['203.0.113.7', ['203.0.113.7'], true],
  ['203.0.113.8', ['203.0.113.7'], false],
  ['203.0.113.255', ['198.51.100.1', '203.0.113.0/24'], true],
  ['203.0.114.0', ['203.0.113.0/24'], false],
  ['::ffff:203.0.113.7', ['203.0.113.0/24'], true],
  ['203.0.113.7', ['::/0'], false],
  ['2001:db8::1', ['0.0.0.0/0'], false],
  ['2001:db8::1', ['2001:db8::/33'], true],
  ['2001:db8:8000::1', ['2001:db8::/33'], false],
  ['fe80::1%eth0', ['fe80::/10'], true],
  ['203.0.113.0/24', ['203.0.113.0/24'], false],
  ['203.0.113.7', [], false],
  ['203.0.113.7', ['nonsense'], false],
])('%s in %j: %p', (address, networks, isIn) => {
  expect(isInNetworks(address, networks)).toBe(isIn)
})
