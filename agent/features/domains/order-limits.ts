import { createHash, type X509Certificate } from 'node:crypto'
import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { baseOf } from '#shared/kernel/names.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const Ledger = z.object({
  /** The time at which all of a limit is free again, by limit. */
  full_at: z.record(z.string(), z.number()),
  /** The authority of each valid certificate, by serial number. */
  issued: z.record(z.string(), z.object({ directory: z.string(), until: z.number() })),
})
type Ledger = z.infer<typeof Ledger>

const MAX_BYTES = 16 << 20
/** The maximum time in the future: a later one comes from a clock change. */
const MAX_MS = 7 * 24 * 3_600_000

const pathIn = ({ settings }: Host) => `${settings.state_dir}/certificate-orders.json`

/**
 * An order of the account of this server. `suggested` means that the authority wants the renewal
 * now, which no limit prevents; `renewal` that a certificate with the same names is known.
 */
export interface CountedOrder {
  names: readonly string[]
  kind: 'new' | 'renewal' | 'suggested'
}

/** A reached limit, and the time when the authority accepts the order again. */
export interface ReachedLimit {
  what: string
  until: number
}

export const reasonOf = ({ what, until }: ReachedLimit): string =>
  `the authority allows ${what}, and is asked again after ${new Date(until).toISOString()}`

const limitsFor = ({ settings }: Host, names: readonly string[]): OrderLimits =>
  limitsOf(settings.acme_directory, names)

/** Returns the reached limit that is free last; undefined when the order is allowed. */
export async function reachedLimit(
  host: Host,
  order: CountedOrder,
): Promise<ReachedLimit | undefined> {
  return reachedIn(await readLedger(host), host, order)
}

/** Counts an order before it is sent; returns the limit that prevents it. */
export async function spendOrder(
  host: Host,
  order: CountedOrder,
): Promise<ReachedLimit | undefined> {
  return updateLedger(host, (ledger) => {
    const reached = reachedIn(ledger, host, order)
    if (!reached && order.kind !== 'suggested')
      count(ledger, host, limitsOfOrder(host, order.names), 1)
    return reached
  })
}

/** Refunds an order that led to no certificate (`certificate`), or was not accepted (`order`). */
export async function refundOrder(
  host: Host,
  { names, kind }: CountedOrder,
  what: 'certificate' | 'order',
): Promise<void> {
  if (kind === 'suggested') return
  const { order, ...certificate } = limitsFor(host, names)
  const limits = [...certificate.domains, ...certificate.names, ...(what === 'order' ? order : [])]
  await updateLedger(host, (ledger) => count(ledger, host, limits, -1))
}

/** Records the authority that issued a certificate. */
export async function recordIssuer(host: Host, found: X509Certificate): Promise<void> {
  await updateLedger(host, ({ issued }) => {
    const until = Date.parse(found.validTo)
    issued[found.serialNumber] = { directory: host.settings.acme_directory, until }
  })
}

/** Returns the directory of the authority that issued a certificate, if this server ordered it. */
export async function findIssuer(host: Host, found: X509Certificate): Promise<string | undefined> {
  return (await readLedger(host)).issued[found.serialNumber]?.directory
}

function reachedIn(
  { full_at }: Ledger,
  host: Host,
  { names, kind }: CountedOrder,
): ReachedLimit | undefined {
  if (kind === 'suggested') return undefined
  const { names: same, ...others } = limitsFor(host, names)
  const limits = kind === 'renewal' ? same : [...same, ...others.domains, ...others.order]
  const reached = limits
    .map((limit) => ({ what: limit.what, until: nextAt(limit, full_at[limit.key] ?? 0) }))
    .filter(({ until }) => until > host.clock.now())
  return reached.toSorted((one, other) => other.until - one.until)[0]
}

function limitsOfOrder(host: Host, names: readonly string[]): OrderLimit[] {
  const { order, domains, names: same } = limitsFor(host, names)
  return [...order, ...domains, ...same]
}

function count(
  { full_at }: Ledger,
  { clock }: Host,
  limits: readonly OrderLimit[],
  by: 1 | -1,
): void {
  for (const limit of limits)
    full_at[limit.key] = fullAtAfter(limit, full_at[limit.key] ?? 0, clock.now(), by)
}

/** Reads the ledger without expired entries. */
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

async function updateLedger<T>(host: Host, change: (ledger: Ledger) => T): Promise<T> {
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

/** A limit of an authority: orders in a period, which become free one by one. */
interface OrderLimit {
  /** Orders with one key count together. */
  key: string
  most: number
  period_ms: number
  /** The counted thing, in words. */
  what: string
}

/** The host of Let's Encrypt, whose limits are known: https://letsencrypt.org/docs/rate-limits/ */
const LETS_ENCRYPT = 'acme-v02.api.letsencrypt.org'

/** The limits on every order, and on the domains and names of its certificate. */
interface OrderLimits {
  order: OrderLimit[]
  domains: OrderLimit[]
  names: OrderLimit[]
}

export function limitsOf(directory: string, names: readonly string[]): OrderLimits {
  const host = URL.canParse(directory) ? new URL(directory).hostname : ''
  if (host !== LETS_ENCRYPT) return { order: [], domains: [], names: [] }
  const domains = [...new Set(names.map(registeredDomainOf))].sort()
  return {
    order: [{ key: 'orders', most: 300, period_ms: 3 * HOUR_MS, what: '300 orders in 3 hours' }],
    domains: domains.map((domain) => ({
      key: `domain ${domain}`,
      most: 50,
      period_ms: WEEK_MS,
      what: `50 certificates for names of ${domain} in 7 days`,
    })),
    names: [
      {
        key: `names ${digestOf(names)}`,
        most: 5,
        period_ms: WEEK_MS,
        what: '5 certificates for exactly these names in 7 days',
      },
    ],
  }
}

const digestOf = (names: readonly string[]): string =>
  createHash('sha256').update(names.toSorted().join('\n')).digest('hex').slice(0, 32)

/** Second-level names under which domains are registered, such as `example.co.uk`. */
const SECOND_LEVEL = new Set([
  'ac',
  'asn',
  'co',
  'com',
  'edu',
  'firm',
  'gen',
  'go',
  'gob',
  'gouv',
  'gov',
  'gv',
  'id',
  'ind',
  'info',
  'ltd',
  'me',
  'mil',
  'ne',
  'net',
  'nom',
  'or',
  'org',
  'plc',
  'sch',
  'web',
])

/** Returns the registered domain without a list: domains of a rare suffix count as one. */
export function registeredDomainOf(name: string): string {
  const labels = baseOf(name).split('.')
  const [top = '', second = ''] = labels.toReversed()
  const isBelow = top.length === 2 && SECOND_LEVEL.has(second) && labels.length > 2
  return labels.slice(isBelow ? -3 : -2).join('.')
}

/** Returns when the next order is allowed (generic cell rate algorithm). */
export const nextAt = ({ most, period_ms }: OrderLimit, full_at: number): number =>
  full_at + period_ms / most - period_ms

/** Returns `full_at` after one more order, or with `count` -1 after one less. */
export function fullAtAfter(
  limit: OrderLimit,
  full_at: number,
  now: number,
  count: 1 | -1 = 1,
): number {
  const next = Math.max(full_at, now) + (count * limit.period_ms) / limit.most
  return Math.min(next, now + limit.period_ms)
}
