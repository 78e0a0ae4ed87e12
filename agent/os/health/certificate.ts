import { createPrivateKey, type X509Certificate } from 'node:crypto'
import type { Host } from '#agent/host/ports.ts'
import { readTries, type Try } from '#agent/os/certificates/tries.ts'
import type { Site } from '#agent/os/site/sites.ts'
import { privateKeyOf, readCertificate } from '#agent/os/tls/certificate-files.ts'
import { degraded, down, UP, type Verdict } from './verdict.ts'

const SOON_MS = 3 * 86_400_000

/** For a site that should have one; undefined: the site is served without a certificate. */
export async function checkCertificate(host: Host, site: Site): Promise<Verdict | undefined> {
  const { domain, tls } = site
  if (tls === 'none') return undefined
  const found = await readCertificate(host, domain)
  const problem = (await keyProblem(host, domain, found)) ?? (found && problemOf(host, site, found))
  if (found && !problem) return UP
  const tried = (await readTries(host))[domain]
  if (!found || problem === 'self-signed') return missing(found !== undefined, tried)
  return typeof problem === 'object' ? withTry(problem, tried) : UP
}

async function keyProblem(
  host: Host,
  domain: string,
  found: X509Certificate | undefined,
): Promise<Verdict | undefined> {
  if (!found) return undefined
  const key = await host.files.read(privateKeyOf(domain))
  return key !== undefined && fits(found, key)
    ? undefined
    : down(
        'certificate_key',
        'The private key of its certificate is missing or belongs to another one',
      )
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
): Verdict | 'self-signed' | undefined {
  const left = Date.parse(found.validTo) - clock.now()
  const ends = new Date(found.validTo).toISOString().slice(0, 10)
  if (left <= 0) return down('certificate_expired', `Its certificate ended on ${ends}`)
  if (found.checkHost(domain) === undefined)
    return down('certificate_name', 'Its certificate is for another name')
  if (tls === 'letsencrypt' && found.issuer === found.subject) return 'self-signed'
  return left < SOON_MS
    ? degraded('certificate_ending', `Its certificate ends on ${ends}`)
    : undefined
}

function missing(self_signed: boolean, tried: Try | undefined): Verdict {
  const instead = self_signed ? 'has a self-signed one instead' : 'is served without HTTPS'
  return withTry(
    degraded('certificate_missing', `Its certificate is missing: it ${instead}`),
    tried,
  )
}

function withTry(verdict: Verdict, tried: Try | undefined): Verdict {
  if (!tried) return verdict
  const next = `next try ${tried.next_at.slice(0, 16).replace('T', ' ')} UTC`
  return { ...verdict, reason: `${verdict.reason}. ${tried.reason} (${next})` }
}
