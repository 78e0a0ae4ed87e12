import { createHash, type X509Certificate } from 'node:crypto'
import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { baseOf } from '#shared/kernel/names.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const Ledger = z.object({
  /** By limit: when all of it is free again. */
  full_at: z.record(z.string(), z.number()),
  /** By serial number of a certificate that is valid. */
  issued: z.record(z.string(), z.object({ directory: z.string(), until: z.number() })),
})
type Ledger = z.infer<typeof Ledger>

const MAX_BYTES = 16 << 20
/** No limit needs longer: a later time comes from a clock change. */
const MAX_MS = 7 * 24 * 3_600_000

const pathIn = ({ settings }: Host) => `${settings.state_dir}/certificate-orders.json`

/**
 * An order of the account of this server. `suggested`: the authority wants its certificate to be
 * renewed now, which no limit prevents; `renewal`: a certificate with the same names is known.
 */
export interface Counted {
  names: readonly string[]
  kind: 'new' | 'renewal' | 'suggested'
}

/** A limit that is reached, and when the authority accepts the order again. */
export interface Reached {
  what: string
  until: number
}

export const reasonOf = ({ what, until }: Reached): string =>
  `the authority allows ${what}, and is asked again after ${new Date(until).toISOString()}`

const limitsFor = ({ settings }: Host, names: readonly string[]): Limits =>
  limitsOf(settings.acme_directory, names)

/** The limit that is free last; undefined: the order is allowed. */
export async function reachedLimit(host: Host, order: Counted): Promise<Reached | undefined> {
  return reachedIn(await readLedger(host), host, order)
}

/** Counts an order before it is sent; returns the limit that prevents it. */
export async function spendOrder(host: Host, order: Counted): Promise<Reached | undefined> {
  return changing(host, (ledger) => {
    const reached = reachedIn(ledger, host, order)
    if (!reached && order.kind !== 'suggested') count(ledger, host, allOf(host, order.names), 1)
    return reached
  })
}

/** What an order did not lead to: a certificate (`certificate`), or even an order (`order`). */
export async function refundOrder(
  host: Host,
  { names, kind }: Counted,
  what: 'certificate' | 'order',
): Promise<void> {
  if (kind === 'suggested') return
  const { order, ...certificate } = limitsFor(host, names)
  const limits = [...certificate.domains, ...certificate.names, ...(what === 'order' ? order : [])]
  await changing(host, (ledger) => count(ledger, host, limits, -1))
}

/** The authority that issued a certificate. */
export async function noteIssuer(host: Host, found: X509Certificate): Promise<void> {
  await changing(host, ({ issued }) => {
    const until = Date.parse(found.validTo)
    issued[found.serialNumber] = { directory: host.settings.acme_directory, until }
  })
}

/** The directory of the authority that issued it, if this server ordered it. */
export async function findIssuer(host: Host, found: X509Certificate): Promise<string | undefined> {
  return (await readLedger(host)).issued[found.serialNumber]?.directory
}

function reachedIn({ full_at }: Ledger, host: Host, { names, kind }: Counted): Reached | undefined {
  if (kind === 'suggested') return undefined
  const { names: same, ...others } = limitsFor(host, names)
  const limits = kind === 'renewal' ? same : [...same, ...others.domains, ...others.order]
  const reached = limits
    .map((limit) => ({ what: limit.what, until: nextAt(limit, full_at[limit.key] ?? 0) }))
    .filter(({ until }) => until > host.clock.now())
  return reached.toSorted((one, other) => other.until - one.until)[0]
}

function allOf(host: Host, names: readonly string[]): Limit[] {
  const { order, domains, names: same } = limitsFor(host, names)
  return [...order, ...domains, ...same]
}

function count({ full_at }: Ledger, { clock }: Host, limits: readonly Limit[], by: 1 | -1): void {
  for (const limit of limits)
    full_at[limit.key] = spentOnce(limit, full_at[limit.key] ?? 0, clock.now(), by)
}

/** Without what is over. */
async function readLedger(host: Host): Promise<Ledger> {
  const text = await host.files.read(pathIn(host), MAX_BYTES)
  const { full_at, issued } = parseJson(Ledger, text) ?? { full_at: {}, issued: {} }
  const now = host.clock.now()
  const isOpen = (time: number) => time > now && time - now <= MAX_MS
  return {
    full_at: Object.fromEntries(Object.entries(full_at).filter(([, time]) => isOpen(time))),
    issued: Object.fromEntries(Object.entries(issued).filter(([, { until }]) => until > now)),
  }
}

async function changing<T>(host: Host, change: (ledger: Ledger) => T): Promise<T> {
  return host.exclusive('certificate orders', async () => {
    const ledger = await readLedger(host)
    const before = JSON.stringify(ledger)
    const result = change(ledger)
    const text = JSON.stringify(ledger)
    if (text !== before) await host.files.write(pathIn(host), `${text}\n`, { mode: 0o600 })
    return result
  })
}

const HOUR_MS = 3_600_000
const WEEK_MS = 7 * 24 * HOUR_MS

/** A limit of an authority: so many in a period, each of which becomes free by itself. */
interface Limit {
  /** Orders of one key count together. */
  key: string
  most: number
  period_ms: number
  /** What it counts, in words. */
  what: string
}

/** https://letsencrypt.org/docs/rate-limits/; those of other authorities are not known. */
const LETS_ENCRYPT = 'acme-v02.api.letsencrypt.org'

/** The limits on every order, and on the domains and names of each certificate that it leads to. */
interface Limits {
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
