import { createPrivateKey, type X509Certificate } from 'node:crypto'
import { readFailedRequests } from '#agent/features/domains/failed-requests.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { privateKeyOf, readCertificate } from '#agent/kernel/site/certificate-files.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { degraded, down, type HealthVerdict, UP } from '#shared/health/page-verdict.ts'

const SOON_MS = 3 * 86_400_000

/** Checks the certificate of a site that should have one; undefined while it is unused. */
export async function checkCertificate(host: Host, site: Site): Promise<HealthVerdict | undefined> {
  const { domain, tls } = site
  if (tls === 'none') return undefined
  const found = await readCertificate(host, domain)
  const key = await host.files.read(privateKeyOf(domain))
  const problem = found ? problemOf(host, site, found, key) : missing('is served without HTTPS')
  const tried = problem && (await readFailedRequests(host))[domain]
  if (!tried) return problem ?? UP
  const next = `next try ${tried.next_at.slice(0, 16).replace('T', ' ')} UTC`
  return { ...problem, reason: `${problem.reason}. ${tried.reason} (${next})` }
}

function fits(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

function problemOf(
  { clock }: Host,
  { domain, tls }: Site,
  found: X509Certificate,
  key: string | undefined,
): HealthVerdict | undefined {
  if (key === undefined || !fits(found, key)) {
    const reason = 'The private key of its certificate is missing or belongs to another one'
    return down('certificate_key', reason)
  }
  const { expired, ending } = expiryOf(found, clock.now())
  if (expired) return expired
  if (found.checkHost(domain) === undefined)
    return down('certificate_name', 'Its certificate is for another name')
  const isReplaced = tls === 'letsencrypt' && found.issuer === found.subject
  return isReplaced ? missing('has a self-signed one instead') : ending
}

const missing = (instead: string) =>
  degraded('certificate_missing', `Its certificate is missing: it ${instead}`)

/** Returns the verdict for a certificate that has expired, or expires soon. */
export function expiryOf({ validTo }: Pick<X509Certificate, 'validTo'>, now: number) {
  const date = new Date(validTo).toISOString().slice(0, 10)
  const left = Date.parse(validTo) - now
  return {
    date,
    expired:
      left <= 0 ? down('certificate_expired', `Its certificate expired on ${date}`) : undefined,
    ending:
      left < SOON_MS
        ? degraded('certificate_ending', `Its certificate expires on ${date}`)
        : undefined,
  }
}
