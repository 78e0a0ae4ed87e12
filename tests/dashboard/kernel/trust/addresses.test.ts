import { expect, test } from 'bun:test'
import type { LookupAddress } from 'node:dns'
import fc from 'fast-check'
import {
  type AddressRules,
  checkedLookup,
  checkLiteral,
  obstacleOf,
} from '#dashboard/kernel/trust/addresses.ts'
import { runs } from '#tests/support/runs.ts'

const strict: AddressRules = { production: true, allow_private: false }
const inside: AddressRules = { production: true, allow_private: true }

/** The error for an address, '' when it is allowed. */
function saidOf(address: string, rules: AddressRules): string {
  try {
    checkLiteral(address, rules)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const own = (address: string) =>
  `The server is not contacted: ${address} is an address of this machine, its provider or a reserved range`

/** The words of a text. */
const listed = (text: string) => text.trim().split(/\s+/)

test.each(
  listed(`
    127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 169.254.169.254 100.100.100.200 168.63.129.16
    192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.255
    224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 0:0:0:0:0:0:0:1 ::127.0.0.1 ::7f00:1
    ::ffff:127.0.0.1 ::FFFF:127.0.0.1 ::ffff:7f00:1 0:0:0:0:0:ffff:7f00:1 ::ffff:a9fe:a9fe
    ::ffff:198.18.0.1 ::ffff:0:127.0.0.1 ::ffff:0:7f00:1 ::ffff:0:a00:1 ::ffff:0:1.1.1.1
    0:0:0:0:ffff:0:a9fe:a9fe 64:ff9b::c612:1 100::1 100:0:0:1::1 2001:2::1 2001:10::1 2001:db8::1
    2001:1ff::1 3fff::1 3fff:fff:ffff::1 5f00::1 64:ff9b::7f00:1 64:ff9b::127.0.0.1
    64:ff9b::a9fe:a9fe 64:ff9b:1::7f00:1 2002:7f00:1:: 2002:a9fe:a9fe::1 2001:0:7f00:1::1 fe80::1
    febf::1 fec0::1 ff02::1 fd00:ec2::254 fd20:ce::254
  `),
)('never contacts %s in production', (address) => {
  expect([strict, inside].map((rules) => saidOf(address, rules))).toEqual([
    own(address),
    own(address),
  ])
})

test.each(
  listed(`
    10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 ::ffff:10.0.0.1 ::ffff:a00:1
    64:ff9b::c0a8:101 fc00::1 fdff::1
  `),
)('contacts %s in a private network only if allowed', (address) => {
  const reason = `The server is not contacted: ${address} is in a private network; set PRIVATE_ADDRESSES=allow when your servers are there`

  expect([saidOf(address, strict), saidOf(address, inside)]).toEqual([reason, ''])
})

test.each(
  listed(`
    1.1.1.1 126.255.255.255 128.0.0.1 172.32.0.1 192.0.1.1 192.0.3.1 198.17.255.255 198.20.0.0
    198.51.101.1 203.0.114.1 223.255.255.255 2001:200::1 2001:4860:4860::8888 2001:db9::1
    2606:4700::1111 64:ff9b::101:101 ::ffff:1.1.1.1
  `),
)('contacts %s', (address) => {
  expect(saidOf(address, strict)).toBe('')
})

test('contacts this machine in development', () => {
  const rules = { production: false, allow_private: false }

  expect(['127.0.0.1', '::1', '::ffff:7f00:1'].map((each) => saidOf(each, rules))).toEqual([
    '',
    '',
    '',
  ])
})

const looked = (hostname: string, rules: AddressRules) =>
  new Promise<string | LookupAddress[]>((resolve) => {
    checkedLookup(rules)(hostname, {}, (error, found) => resolve(error?.message ?? found))
  })

test('returns no address for localhost, which is this machine', async () => {
  expect(await looked('localhost', strict)).toMatch(
    /^The server is not contacted: .* is an address of this machine, its provider or a reserved range$/,
  )
})

test.each(['127.1', '2130706433', '0x7f.1'])(
  'returns no address for %s, which some programs take for this machine',
  async (hostname) => {
    expect(await looked(hostname, strict)).toBe(`${hostname} cannot be resolved: ENOTFOUND`)
  },
)

test('returns the addresses of a name if they are allowed', async () => {
  const found = await looked('localhost', { production: false, allow_private: false })

  expect(found).toContainEqual(expect.objectContaining({ address: '127.0.0.1' }))
})

test('refuses each address of the loopback network in each spelling', () => {
  const spelt = (tail: number, form: (hex: string, dotted: string) => string) => {
    const bytes = [127, (tail >> 16) & 255, (tail >> 8) & 255, tail & 255]
    const hex = Buffer.from(bytes).toString('hex').replace(/^..../, '$&:')
    return form(hex, bytes.join('.'))
  }
  const form = fc.constantFrom(
    (_: string, dotted: string) => dotted,
    (_: string, dotted: string) => `::${dotted}`,
    (_: string, dotted: string) => `::ffff:${dotted}`,
    (_: string, dotted: string) => `64:ff9b::${dotted}`,
    (hex: string) => `::ffff:${hex}`,
    (hex: string) => `0:0:0:0:0:FFFF:${hex}`,
    (hex: string) => `64:ff9b::${hex}`,
    (hex: string) => `2002:${hex}::`,
    (hex: string) => `::ffff:0:${hex}`,
    (_: string, dotted: string) => `::ffff:0:${dotted}`,
  )

  fc.assert(
    fc.property(fc.nat(0xffffff), form, (tail, write) => {
      const address = spelt(tail, write)
      expect(saidOf(address, inside)).toBe(own(address))
    }),
    runs(),
  )
})

test.each([
  [
    '10.91.7.20',
    strict,
    '10.91.7.20 is in a private network; set PRIVATE_ADDRESSES=allow when your servers are there',
  ],
  ['10.91.7.20', inside, undefined],
  ['localhost', inside, expect.stringMatching(/^(127\.0\.0\.1|::1) is an address of this machine/)],
  ['8.8.8.8', strict, undefined],
  ['nowhere.invalid', strict, undefined],
] as const)('names what prevents contact with %s in advance', async (hostname, rules, why) => {
  expect(await obstacleOf(hostname, rules)).toEqual(why)
})
