import type { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { type Limit, type Limits, limitsOf, nextAt, spentOnce } from './order-limits.ts'

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
