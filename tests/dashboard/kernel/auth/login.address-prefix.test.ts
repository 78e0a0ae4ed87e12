import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { prefixOf } from '#dashboard/kernel/auth/login.ts'
import { runs } from '#tests/support/runs.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:FFFF:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::ffff', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('%s counts as %s', (address, prefix) => {
  expect(prefixOf(address)).toBe(prefix)
})

test('the addresses of one /64 count as one, and those of two as two', () => {
  const spelt = (bytes: Uint8Array) =>
    Buffer.from(bytes).toString('hex').match(/..../g)?.join(':') ?? ''
  const network = fc.uint8Array({ minLength: 8, maxLength: 8 })

  fc.assert(
    fc.property(network, network, network, network, (one, other, left, right) => {
      fc.pre(one.some((byte) => byte !== 0) && other.some((byte) => byte !== 0))
      const at = (start: Uint8Array, end: Uint8Array) =>
        prefixOf(spelt(new Uint8Array([...start, ...end])))
      expect(at(one, left)).toBe(at(one, right))
      expect(at(one, left) === at(other, left)).toBe(Buffer.compare(one, other) === 0)
    }),
    runs(),
  )
})
