import type { Visited } from '#agent/host/visit-port.ts'
import { checkPage } from '#agent/os/health/page.ts'
import { degraded, down, UP, up, type Verdict } from '#agent/os/health/verdict.ts'

type Failed = Extract<Visited, { failed: string }>['failed']

export const CLOSED = up('http_closed', 'Its web server is configured to refuse every visitor')

const FAILED: Partial<Record<Failed, Verdict>> = {
  refused: down('http_refused', 'Nothing answers at its address on this server'),
}

/** The intended content is unknown: every answer below 500 counts as intended. */
export function checkFoundPage(visited: Visited, url: string): Verdict {
  if ('failed' in visited) return FAILED[visited.failed] ?? checkPage(visited, url)
  const { status, headers } = visited
  if (status >= 500) return failing(visited, url)
  if (status === 401 || status === 403)
    return up('http_protected', `Its front page answers ${status}: not everybody may see it`)
  if (status >= 400) return up('http_answers', `Its front page answers ${status}`)
  if (status >= 300) return up('http_redirect', 'Its front page redirects to another address')
  return /^(HIT|STALE)$/.test(headers['x-cache'] ?? '') ? up('http_cached', '') : UP
}

function failing(visited: Exclude<Visited, { failed: string }>, url: string): Verdict {
  const verdict = checkPage(visited, url)
  if (verdict.code !== 'http_gateway') return verdict
  const { status } = visited
  return down(
    'http_gateway',
    `Its front page answers ${status}: the program behind it gave no answer`,
  )
}

const SOON_MS = 3 * 86_400_000

/** A self-signed one is intended, for example behind a proxy that does not verify it. */
export function checkFoundCertificate(
  found: { issuer: string; subject: string; validTo: string; checkHost(name: string): unknown },
  domain: string,
  now: number,
): Verdict {
  if (found.issuer === found.subject) return up('certificate_self_signed', 'It is self-signed')
  const ends_at = new Date(found.validTo)
  const ends = ends_at.toISOString().slice(0, 10)
  const left = ends_at.getTime() - now
  if (left <= 0) return down('certificate_expired', `Its certificate ended on ${ends}`)
  if (found.checkHost(domain) === undefined)
    return degraded('certificate_name', 'Its certificate is for another name')
  if (left < SOON_MS) return degraded('certificate_ending', `Its certificate ends on ${ends}`)
  return up('up', `It ends on ${ends}`)
}
