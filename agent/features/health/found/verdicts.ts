import { expiryOf } from '#agent/features/health/certificate.ts'
import { checkPage } from '#agent/features/health/page.ts'
import type { Visited } from '#agent/kernel/host/visit-port.ts'
import { degraded, down, UP, up, type Verdict } from '#shared/health/page-verdict.ts'

export const CLOSED = up('http_closed', 'Its web server is configured to refuse every visitor')

/** The intended content is unknown: every answer below 500 counts as intended. */
export function checkFoundPage(visited: Visited, url: string): Verdict {
  if ('failed' in visited) {
    if (visited.failed !== 'refused') return checkPage(visited, url)
    return down('http_refused', 'Nothing answers at its address on this server')
  }
  const { status, headers } = visited
  if (status >= 500) {
    const verdict = checkPage(visited, url)
    if (verdict.code !== 'http_gateway') return verdict
    const reason = `Its front page answers ${status}: the program behind it returned no answer`
    return down('http_gateway', reason)
  }
  if (status === 401 || status === 403)
    return up('http_protected', `Its front page answers ${status}: it is not public`)
  if (status >= 400) return up('http_answers', `Its front page answers ${status}`)
  if (status >= 300) return up('http_redirect', 'Its front page redirects to another address')
  return /^(HIT|STALE)$/.test(headers['x-cache'] ?? '') ? up('http_cached', '') : UP
}

/** A self-signed one is intended, for example behind a proxy that does not verify it. */
export function checkFoundCertificate(
  found: { issuer: string; subject: string; validTo: string; checkHost(name: string): unknown },
  domain: string,
  now: number,
): Verdict {
  if (found.issuer === found.subject) return up('certificate_self_signed', 'It is self-signed')
  const { date, expired, ending } = expiryOf(found, now)
  if (expired) return expired
  if (found.checkHost(domain) === undefined)
    return degraded('certificate_name', 'Its certificate is for another name')
  return ending ?? up('up', `It expires on ${date}`)
}
