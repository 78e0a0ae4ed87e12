import { describe, expect, test } from 'bun:test'
import { makeSiteUser } from '#dashboard/features/sites/site-user.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'

describe('the system user of a site', () => {
  test.each([
    ['shop.example', /^shop[a-z0-9]{6}$/],
    ['www.my-shop.example', /^myshop[a-z0-9]{6}$/],
    ['24h.example', /^s24h[a-z0-9]{6}$/],
    ['xn--mnchen-3ya.example', /^xnmnchen3ya[a-z0-9]{6}$/],
    [`${'a'.repeat(60)}.example`, /^a{20}[a-z0-9]{6}$/],
    [`${'1'.repeat(60)}.example`, /^s1{19}[a-z0-9]{6}$/],
  ])('of %s is %p', (domain, pattern) => {
    expect(makeSiteUser(secureRandom, domain)).toMatch(pattern)
  })

  test.each([
    ['hosting.example', 'shostinggggggg'],
    ['hosting-24.example', 'shosting24gggggg'],
    ['hostin.example', 'shostingggggg'],
    ['hosts.example', 'hostsgggggg'],
  ])('of %s is %s, which does not begin with hosting', (domain, user) => {
    const onlyG = (length: number) => new Uint8Array(length).fill(6)

    expect(makeSiteUser(onlyG, domain)).toBe(user)
  })
})
