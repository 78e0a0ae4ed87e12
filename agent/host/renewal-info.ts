import type { Agent } from 'node:https'
import { z } from 'zod'
import type { RenewalRequest, RenewalWindow } from './acme-port.ts'
import { attempt } from './attempt.ts'
import { agentFor, read, readDirectory } from './authority.ts'

const Info = z.object({
  suggestedWindow: z.object({
    start: z.iso.datetime({ offset: true }),
    end: z.iso.datetime({ offset: true }),
  }),
})

const HOUR_S = 3600
const USUAL_WAIT_S = 6 * HOUR_S

/** The times that the authority suggests (RFC 9773); undefined: it suggests none. */
export async function renewals({
  directory,
  extra_roots,
  certificates,
}: RenewalRequest): Promise<(RenewalWindow | null)[] | undefined> {
  const agent = agentFor(extra_roots)
  const { renewalInfo } = await readDirectory(directory, agent)
  if (renewalInfo === undefined) return undefined
  const windows: (RenewalWindow | null)[] = []
  for (const pem of certificates) windows.push(await windowOf(renewalInfo, agent, pem))
  return windows
}

async function windowOf(base: string, agent: Agent, pem: string): Promise<RenewalWindow | null> {
  const id = await certificateId(pem)
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
  if (header === undefined || Number.isNaN(seconds)) return USUAL_WAIT_S
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
