import { describe, expect, test } from 'bun:test'
import {
  fullAtAfter,
  limitsOf,
  nextAt,
  registeredDomainOf,
} from '#agent/features/domains/order-limits.ts'

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'
const HOUR_MS = 3_600_000

describe('the limits of Let’s Encrypt', () => {
  const names = ['shop.example', '*.shop.example', 'www.shop.co.uk']
  const { order, domains, names: same } = limitsOf(LETS_ENCRYPT, names)

  test('are 300 orders in 3 hours, 50 certificates of a domain and 5 of the same names in a week', () => {
    expect([...order, ...domains, ...same]).toEqual([
      { key: 'orders', most: 300, period_ms: 3 * HOUR_MS, what: '300 orders in 3 hours' },
      {
        ...{ key: 'domain shop.co.uk', most: 50, period_ms: 168 * HOUR_MS },
        what: '50 certificates for names of shop.co.uk in 7 days',
      },
      {
        ...{ key: 'domain shop.example', most: 50, period_ms: 168 * HOUR_MS },
        what: '50 certificates for names of shop.example in 7 days',
      },
      {
        ...{ key: expect.stringMatching(/^names [\da-f]{32}$/), most: 5, period_ms: 168 * HOUR_MS },
        what: '5 certificates for exactly these names in 7 days',
      },
    ])
  })

  test('do not depend on the order of the names', () => {
    expect(limitsOf(LETS_ENCRYPT, names.toReversed())).toEqual({ order, domains, names: same })
  })

  test.each([
    'https://acme-staging-v02.api.letsencrypt.org/directory',
    'https://acme.example/directory',
    'no address',
  ])('are not those of %s', (directory) => {
    expect(limitsOf(directory, names)).toEqual({ order: [], domains: [], names: [] })
  })
})

test.each([
  ['example.com', 'example.com'],
  ['*.a.example.com', 'example.com'],
  ['new.blog.example.co.uk', 'example.co.uk'],
  ['example.co.uk', 'example.co.uk'],
  ['co.uk', 'co.uk'],
  ['www.com.example', 'com.example'],
  ['www.example.de', 'example.de'],
])('%s belongs to %s', (name, domain) => {
  expect(registeredDomainOf(name)).toBe(domain)
})

describe('a limit of 5 in 10 hours', () => {
  const limit = { key: 'a', most: 5, period_ms: 10 * HOUR_MS, what: '5 in 10 hours' }
  const now = 1000 * HOUR_MS
  const after = (count: number, from = 0) =>
    Array.from({ length: count }).reduce<number>(
      (full_at) => fullAtAfter(limit, full_at, now),
      from,
    )

  test('allows five at once, and one more every two hours', () => {
    expect([1, 4, 5].map((count) => nextAt(limit, after(count)) - now)).toEqual([
      ...[-6 * HOUR_MS, 0, 2 * HOUR_MS],
    ])
  })

  test('allows five again after ten hours', () => {
    expect(after(5)).toBe(now + 10 * HOUR_MS)
  })

  test('never counts more than five', () => {
    expect(after(9)).toBe(now + 10 * HOUR_MS)
  })

  test('gives one back', () => {
    expect(fullAtAfter(limit, after(3), now, -1)).toBe(after(2))
  })
})
