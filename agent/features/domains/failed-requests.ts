import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const FailedRequest = z.object({
  failures: z.number().int().positive(),
  /** The message of the authority, or the reason why no request was sent. */
  reason: z.string(),
  next_at: z.iso.datetime(),
})
/** A failing request: the number of consecutive failures, the last reason, and the next attempt. */
export type FailedRequest = z.infer<typeof FailedRequest>

const FailedRequests = z.record(z.string(), FailedRequest)
type FailedRequests = z.infer<typeof FailedRequests>

/** The minutes to the next order after one, two … failures (Let's Encrypt allows five an hour). */
const MINUTES = [10, 30, 60, 120, 240, 480, 720, 1440]
/** The number of failures after which an unreachable authority is asked once an hour. */
const HOURLY_AFTER_FAILURES = 3
const MAX_BYTES = 16 << 20
const MAX_REASON = 400

const pathIn = ({ settings }: Host) => `${settings.state_dir}/certificate-tries.json`

/** Reads the failed requests by domain, or by another name of a site. None if unreadable. */
export async function readFailedRequests(host: Host): Promise<FailedRequests> {
  return parseJson(FailedRequests, await host.files.read(pathIn(host), MAX_BYTES)) ?? {}
}

export interface RetryHint {
  /** The Retry-After of the certificate authority in seconds, before which it refuses orders. */
  after_s?: number
  /** True when the authority was not reached: no limit counts it, so an hour is enough. */
  is_unspent?: boolean
}

export async function recordRefusal(
  host: Host,
  domain: string,
  reason: string,
  retry: RetryHint = {},
): Promise<void> {
  const tried = (former: FailedRequest | undefined) => afterFailure(host, former, reason, retry)
  await updateFailedRequests(host, (tries) => ({ ...tries, [domain]: tried(tries[domain]) }))
}

function afterFailure(
  { clock }: Host,
  former: FailedRequest | undefined,
  reason: string,
  retry: RetryHint = {},
): FailedRequest {
  const { after_s = 0, is_unspent = false } = retry
  const before = former?.failures ?? 0
  const failures = is_unspent
    ? Math.max(before, Math.min(before + 1, HOURLY_AFTER_FAILURES))
    : before + 1
  const longest = is_unspent ? Math.min(failures, HOURLY_AFTER_FAILURES) : failures
  const minutes = Math.max(MINUTES[longest - 1] ?? 1440, Math.ceil(after_s / 60))
  const next_at = new Date(clock.now() + minutes * 60_000).toISOString()
  return { failures, reason: reason.slice(0, MAX_REASON), next_at }
}

/** Records the failed attempts of names that were left out of a certificate. */
export async function recordLeftOutNames(
  host: Host,
  names: readonly string[],
  left_out: readonly { name: string; reason: string }[],
): Promise<void> {
  const known = await readFailedRequests(host)
  if (left_out.length === 0 && !names.some((name) => known[name])) return
  await updateFailedRequests(host, (tries) => {
    const others = Object.entries(tries).filter(([name]) => !names.includes(name))
    const left = left_out.map(({ name, reason }) => [name, afterFailure(host, tries[name], reason)])
    return Object.fromEntries([...others, ...left])
  })
}

/** Returns whether the last attempt failed, and the next one is due. */
export const isRetryDue = (tried: FailedRequest | undefined, now: number): boolean =>
  tried !== undefined && !isRetryPending(tried, now)

/** Forgets the attempts for a domain: its certificate is installed, or no longer requested. */
export async function forgetFailedRequests(host: Host, domain: string): Promise<void> {
  if (!(domain in (await readFailedRequests(host)))) return
  await updateFailedRequests(host, ({ [domain]: _, ...rest }) => rest)
}

/** Returns whether the last attempt failed, and the next is not due. It waits a day at most. */
export function isRetryPending(tried: FailedRequest | undefined, now: number): boolean {
  if (!tried) return false
  const left = Date.parse(tried.next_at) - now
  return left > 0 && left <= 1440 * 60_000
}

async function updateFailedRequests(
  host: Host,
  change: (tries: FailedRequests) => FailedRequests,
): Promise<void> {
  await host.exclusive('certificate tries', async () => {
    const text = `${JSON.stringify(change(await readFailedRequests(host)))}\n`
    await host.files.write(pathIn(host), text, { mode: 0o600 })
  })
}
