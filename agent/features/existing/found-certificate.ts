import type { X509Certificate } from 'node:crypto'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseCertificate } from '#agent/kernel/site/certificate-files.ts'
import type { FoundSite } from '#shared/kernel/found-site.ts'
import type { UnknownReason } from '#shared/servers/unknown-reasons.ts'
import type { Vhost } from './vhosts.ts'

interface Found {
  tls: FoundSite['tls']
  reason: UnknownReason | undefined
}

/** Names of Let's Encrypt's own certificates, those of its staging environment included. */
const LETS_ENCRYPT = /^O=(\(STAGING\) )?Let's Encrypt$/m

/** The authority that signed the configured certificate. */
export async function readFoundCertificate(
  host: Host,
  { certificate, unknown }: Pick<Vhost, 'certificate' | 'unknown'>,
): Promise<Found> {
  if (unknown.tls) return { tls: 'none', reason: unknown.tls }
  if (certificate === '') return { tls: 'none', reason: undefined }
  const found = parseCertificate(await host.files.read(certificate).catch(() => undefined))
  return found
    ? { tls: modeOf(found), reason: undefined }
    : { tls: 'none', reason: 'certificate_unreadable' }
}

function modeOf({ issuer, subject }: X509Certificate): FoundSite['tls'] {
  // Caddy has an internal authority for names that public authorities do not support.
  if (issuer === subject || issuer.includes('Caddy Local Authority')) return 'self-signed'
  return LETS_ENCRYPT.test(issuer) ? 'letsencrypt' : 'other'
}
