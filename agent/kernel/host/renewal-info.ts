import type { Agent } from 'node:https'
import { z } from 'zod'
import type { RenewalRequest, RenewalWindow } from './acme-port.ts'
import { attempt } from './attempt.ts'
import { agentFor, read, readDirectory } from './authority.ts'
import { within } from './within.ts'

const Info = z.object({
  suggestedWindow: z.object({
    start: z.iso.datetime({ offset: true }),
    end: z.iso.datetime({ offset: true }),
  }),
})

/** All questions together. */
const MAX_MS = 120_000
const HOUR_S = 3600
const DEFAULT_WAIT_S = 6 * HOUR_S

/**
 * The times that the authority suggests (RFC 9773); undefined: it suggests none. After a request that
 * fails, the answers so far are returned, and the other certificates are not asked for.
 */
export async function renewals(
  { directory, extra_roots, certificates }: RenewalRequest,
  longest_ms = MAX_MS,
): Promise<(RenewalWindow | null)[] | undefined> {
  const end = performance.now() + longest_ms
  const late = () => new Error(`the certificate authority took ${longest_ms / 1000} seconds`)
  const timely = <T>(work: Promise<T>) => within(end - performance.now(), work, late)
  const agent = agentFor(extra_roots)
  const { renewalInfo } = await timely(readDirectory(directory, agent))
  if (renewalInfo === undefined) return undefined
  const windows: (RenewalWindow | null)[] = []
  try {
    for (const pem of certificates) windows.push(await timely(windowOf(renewalInfo, agent, pem)))
  } catch {
    // An authority that is down fails for each of them, and each takes its time.
  }
  return certificates.map((_, at) => windows[at] ?? null)
}

async function windowOf(base: string, agent: Agent, pem: string): Promise<RenewalWindow | null> {
  const id = await certificateId(pem).catch(() => undefined)
  if (id === undefined) return null
  const { status, headers, text } = await read(`${base.replace(/\/$/, '')}/${id}`, agent)
  const info = status === 200 ? Info.safeParse(attempt(() => JSON.parse(text))).data : undefined
  if (!info) return null
  const { start, end } = info.suggestedWindow
  if (Date.parse(start) > Date.parse(end)) return null
  return { start: utc(start), end: utc(end), retry_after_s: waitIn(headers['retry-after']) }
}

const utc = (text: string) => new Date(text).toISOString()

/** Between one hour and one day, so that neither end can flood the other or forget it. */
function waitIn(header: string | undefined): number {
  const seconds = Number(header)
  if (header === undefined || Number.isNaN(seconds)) return DEFAULT_WAIT_S
  return Math.min(Math.max(seconds, HOUR_S), 24 * HOUR_S)
}

/**
 * The identifier of a certificate in RFC 9773 section 4.1: its authority's key and its serial number.
 * Undefined: the certificate names no key.
 */
export async function certificateId(pem: string): Promise<string | undefined> {
  await import('reflect-metadata')
  const { AuthorityKeyIdentifierExtension, X509Certificate } = await import('@peculiar/x509')
  const certificate = new X509Certificate(pem)
  const authority = certificate.getExtension(AuthorityKeyIdentifierExtension)
  if (authority?.keyId === undefined) return undefined
  const { serialNumber } = certificate
  // The bytes of its DER: the library omits the zero before a first byte that looks negative.
  const serial = Number.parseInt(serialNumber.slice(0, 2), 16) < 0x80 ? '' : '00'
  return [authority.keyId, serial + serialNumber]
    .map((hex) => Buffer.from(hex, 'hex').toString('base64url'))
    .join('.')
}
