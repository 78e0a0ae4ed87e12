import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const Try = z.object({
  failures: z.number().int().positive(),
  /** The message of the authority, or why no request was sent. */
  reason: z.string(),
  next_at: z.iso.datetime(),
})
/** A failing request: the number of consecutive failures, the last reason, and the next attempt. */
export type Try = z.infer<typeof Try>

const Tries = z.record(z.string(), Try)
type Tries = z.infer<typeof Tries>

/** Let's Encrypt allows five failed validations of a name per hour: these are three, then fewer. */
const MINUTES = [10, 30, 60, 120, 240, 480, 720, 1440]
/** Consecutive failures from which an authority that cannot be reached is asked once an hour. */
const HOURLY = 3
const MAX_BYTES = 16 << 20
const MAX_REASON = 400

const pathIn = ({ settings }: Host) => `${settings.state_dir}/certificate-tries.json`

/** By domain, or by another name of a site. An unreadable file counts as empty. */
export async function readTries(host: Host): Promise<Tries> {
  return parseJson(Tries, await host.files.read(pathIn(host), MAX_BYTES)) ?? {}
}

/** When to request again. */
export interface Retry {
  /** The authority accepts no request for so many seconds. */
  after_s?: number
  /** The authority was not reached: this counts for none of its limits, so an hour is enough. */
  is_unspent?: boolean
}

export async function noteRefused(
  host: Host,
  domain: string,
  reason: string,
  retry: Retry = {},
): Promise<void> {
  const tried = (former: Try | undefined) => again(host, former, reason, retry)
  await changing(host, (tries) => ({ ...tries, [domain]: tried(tries[domain]) }))
}

function again({ clock }: Host, former: Try | undefined, reason: string, retry: Retry = {}): Try {
  const { after_s = 0, is_unspent = false } = retry
  const before = former?.failures ?? 0
  const failures = is_unspent ? Math.max(before, Math.min(before + 1, HOURLY)) : before + 1
  const longest = is_unspent ? Math.min(failures, HOURLY) : failures
  const minutes = Math.max(MINUTES[longest - 1] ?? 1440, Math.ceil(after_s / 60))
  const next_at = new Date(clock.now() + minutes * 60_000).toISOString()
  return { failures, reason: reason.slice(0, MAX_REASON), next_at }
}

/**
 * Records the failed attempts of the names of a site beside its domain that were left out of a
 * certificate, and forgets those of the other names.
 */
export async function noteNames(
  host: Host,
  names: readonly string[],
  left_out: readonly { name: string; reason: string }[],
): Promise<void> {
  const known = await readTries(host)
  if (left_out.length === 0 && !names.some((name) => known[name])) return
  await changing(host, (tries) => {
    const others = Object.entries(tries).filter(([name]) => !names.includes(name))
    const left = left_out.map(({ name, reason }) => [name, again(host, tries[name], reason)])
    return Object.fromEntries([...others, ...left])
  })
}

/** Returns whether the last attempt failed, and the next one is due. */
export const isReady = (tried: Try | undefined, now: number): boolean =>
  tried !== undefined && !isWaiting(tried, now)

/** Forgets the attempts for a domain: its certificate is installed, or no longer requested. */
export async function forgetTries(host: Host, domain: string): Promise<void> {
  if (!(domain in (await readTries(host)))) return
  await changing(host, ({ [domain]: _, ...rest }) => rest)
}

/**
 * Returns whether the last attempt failed, and the next is not due. A clock change adds a day at
 * most.
 */
export function isWaiting(tried: Try | undefined, now: number): boolean {
  if (!tried) return false
  const left = Date.parse(tried.next_at) - now
  return left > 0 && left <= 1440 * 60_000
}

async function changing(host: Host, change: (tries: Tries) => Tries): Promise<void> {
  await host.exclusive('certificate tries', async () => {
    const text = `${JSON.stringify(change(await readTries(host)))}\n`
    await host.files.write(pathIn(host), text, { mode: 0o600 })
  })
}
