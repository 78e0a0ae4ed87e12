import { z } from 'zod'
import type { RenewalWindow } from '#agent/kernel/host/acme-port.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { readCertificate } from '#agent/kernel/site/certificate-files.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const RenewalTime = z.object({
  /** The serial number of the certificate in hexadecimal. */
  serial: z.string(),
  /** The time when it is renewed; null when the authority suggests none. */
  at: z.iso.datetime().nullable(),
  /** The time when the authority is asked again. */
  check_at: z.iso.datetime(),
})
type RenewalTime = z.infer<typeof RenewalTime>

/** By the domain of a site. */
const RenewalTimesFile = z.record(z.string(), RenewalTime)
export type RenewalTimes = z.infer<typeof RenewalTimesFile>

const MAX_BYTES = 16 << 20
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The maximum number of certificates in one request. */
const MAX_CERTIFICATES = 500

const pathIn = ({ settings }: Host) => `${settings.state_dir}/renewal-times.json`

/** An unreadable file counts as empty: then the share of the lifetime decides. */
export async function readRenewalTimes(host: Host): Promise<RenewalTimes> {
  return parseJson(RenewalTimesFile, await host.files.read(pathIn(host), MAX_BYTES)) ?? {}
}

interface IssuedCertificate {
  domain: string
  serial: string
  pem: string
}

/**
 * Asks the authority when it wants its certificates to be renewed (RFC 9773), for those whose last
 * answer is old. It chooses a random time in each window, and keeps it while it stays in the window,
 * so that a fleet does not renew at once. Without an answer the former times stay.
 */
export async function updateRenewalTimes(host: Host): Promise<void> {
  const former = await readRenewalTimes(host)
  const issued = await listIssued(host)
  const kept = Object.fromEntries(
    issued.flatMap(({ domain, serial }) => {
      const time = former[domain]
      return time?.serial === serial ? [[domain, time]] : []
    }),
  )
  const asked = issued
    .filter(({ domain }) => isCheckDue(kept[domain], host.clock.now()))
    .slice(0, MAX_CERTIFICATES)
  const windows = await askRenewalWindows(host, asked)
  const times = asked.map(({ domain, serial }, index): [string, RenewalTime] => [
    domain,
    timeOf(host, { serial, former: kept[domain], window: windows?.[index] }),
  ])
  if (asked.length === 0 && Object.keys(kept).length === Object.keys(former).length) return
  const text = `${JSON.stringify({ ...kept, ...Object.fromEntries(times) })}\n`
  await host.files.write(pathIn(host), text, { mode: 0o600 })
}

/** Lists the served certificates of the authority. */
async function listIssued(host: Host): Promise<IssuedCertificate[]> {
  const issued: IssuedCertificate[] = []
  for (const { domain, tls } of await listSites(host)) {
    if (tls !== 'letsencrypt') continue
    const found = await readCertificate(host, domain)
    if (!found || found.issuer === found.subject) continue
    issued.push({ domain, serial: found.serialNumber, pem: String(found) })
  }
  return issued
}

/** Returns whether the authority is to be asked again, after a day at the latest. */
const isCheckDue = (time: RenewalTime | undefined, now: number): boolean =>
  time === undefined || Math.abs(Date.parse(time.check_at) - now) > DAY_MS
    ? true
    : Date.parse(time.check_at) <= now

/** Asks the authority when to renew certificates; undefined without suggested times. */
async function askRenewalWindows(host: Host, asked: readonly IssuedCertificate[]) {
  if (asked.length === 0) return undefined
  const { acme_directory: directory, acme_ca_file } = host.settings
  const extra_roots = acme_ca_file === undefined ? undefined : await host.files.read(acme_ca_file)
  const certificates = asked.map(({ pem }) => pem)
  return host.acme.renewals({ directory, extra_roots, certificates }).catch(() => undefined)
}

interface WindowAnswer {
  serial: string
  former: RenewalTime | undefined
  window: RenewalWindow | null | undefined
}

function timeOf({ clock, random }: Host, { serial, former, window }: WindowAnswer): RenewalTime {
  const in_ms = (ms: number) => new Date(clock.now() + ms).toISOString()
  if (!window) return { serial, at: former?.at ?? null, check_at: in_ms(6 * HOUR_MS) }
  const { start, end, retry_after_s } = window
  const isKept = former?.at != null && start <= former.at && former.at <= end
  const seconds = Math.floor((Date.parse(end) - Date.parse(start)) / 1000)
  const chosen = new Date(Date.parse(start) + random.integer(seconds + 1) * 1000).toISOString()
  return {
    serial,
    at: isKept ? former.at : chosen,
    check_at: in_ms(Math.min(retry_after_s * 1000, DAY_MS)),
  }
}
