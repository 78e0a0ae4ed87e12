import { createHash } from 'node:crypto'
import { baseOf } from '#shared/kernel/names.ts'

const HOUR_MS = 3_600_000
const WEEK_MS = 7 * 24 * HOUR_MS

/** A limit of an authority: so many in a period, each of which becomes free by itself. */
export interface Limit {
  /** Orders of one key count together. */
  key: string
  most: number
  period_ms: number
  /** What it counts, in words. */
  what: string
}

/** https://letsencrypt.org/docs/rate-limits/; those of other authorities are not known. */
const LETS_ENCRYPT = 'acme-v02.api.letsencrypt.org'

/** Of every order, and of each certificate that an order leads to. */
export interface Limits {
  order: Limit[]
  domains: Limit[]
  names: Limit[]
}

export function limitsOf(directory: string, names: readonly string[]): Limits {
  const host = URL.canParse(directory) ? new URL(directory).hostname : ''
  if (host !== LETS_ENCRYPT) return { order: [], domains: [], names: [] }
  const domains = [...new Set(names.map(registeredDomainOf))].sort()
  return {
    order: [{ key: 'orders', most: 300, period_ms: 3 * HOUR_MS, what: '300 orders in 3 hours' }],
    domains: domains.map((domain) => ({
      ...{ key: `domain ${domain}`, most: 50, period_ms: WEEK_MS },
      what: `50 certificates for names of ${domain} in 7 days`,
    })),
    names: [
      {
        ...{ key: `names ${digestOf(names)}`, most: 5, period_ms: WEEK_MS },
        what: '5 certificates for exactly these names in 7 days',
      },
    ],
  }
}

const digestOf = (names: readonly string[]): string =>
  createHash('sha256').update(names.toSorted().join('\n')).digest('hex').slice(0, 32)

/** The second level of many countries: `example.co.uk` is what is bought there. */
const SECOND_LEVEL = new Set([
  ...['ac', 'asn', 'co', 'com', 'edu', 'firm', 'gen', 'go', 'gob', 'gouv', 'gov', 'gv', 'id'],
  ...['ind', 'info', 'ltd', 'me', 'mil', 'ne', 'net', 'nom', 'or', 'org', 'plc', 'sch', 'web'],
])

/** Without the list of public suffixes: a rare one counts its domains together. */
export function registeredDomainOf(name: string): string {
  const labels = baseOf(name).split('.')
  const [top = '', second = ''] = labels.toReversed()
  const isBelow = top.length === 2 && SECOND_LEVEL.has(second) && labels.length > 2
  return labels.slice(isBelow ? -3 : -2).join('.')
}

/**
 * When the next one is allowed; `full_at`: when all of the limit is free again (generic cell rate
 * algorithm).
 */
export const nextAt = ({ most, period_ms }: Limit, full_at: number): number =>
  full_at + period_ms / most - period_ms

/** `full_at` after one more, or with `count` -1 after one less. */
export function spentOnce(limit: Limit, full_at: number, now: number, count: 1 | -1 = 1): number {
  const next = Math.max(full_at, now) + (count * limit.period_ms) / limit.most
  return Math.min(next, now + limit.period_ms)
}
