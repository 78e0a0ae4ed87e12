import type { Visited } from '#agent/host/visit-port.ts'
import { degraded, down, UP, up, type Verdict } from './verdict.ts'

type Answer = Exclude<Visited, { failed: string }>
type Failed = Extract<Visited, { failed: string }>['failed']

const FAILED: Record<Failed, Verdict> = {
  refused: down('http_refused', 'nginx does not answer on this server'),
  timeout: down('http_timeout', 'Its front page did not answer within 10 seconds'),
  tls: down('http_tls', 'The TLS connection to the site fails'),
  broken: down('http_broken', 'The connection ended before the front page was complete'),
}

/** WordPress' own page for a fatal error, in every language: WP_Fatal_Error_Handler. */
const FATAL = /class="wp-die-message"|<body id="error-page">/

/**
 * The uncached front page of a visitor. Redirects and protected pages are intended by the owner;
 * maintenance mode and a missing page are worth a check.
 */
export function checkPage(visited: Visited, url: string): Verdict {
  if ('failed' in visited) return FAILED[visited.failed]
  const { status } = visited
  if (status >= 500) return failing(visited)
  if (status >= 400) return refused(status)
  if (status >= 300) return redirected(visited, url)
  return shown(visited)
}

function failing({ status, headers, body }: Answer): Verdict {
  if (status === 503 && headers['retry-after'] !== undefined)
    return degraded('http_maintenance', 'The site is in maintenance mode')
  if (status === 500 && FATAL.test(body))
    return down('http_fatal', 'WordPress shows a critical error: a plugin or theme fails')
  if (status === 502 || status === 504)
    return down('http_gateway', `Its front page answers ${status}: PHP returned no answer`)
  return down('http_error', `Its front page answers ${status}`)
}

function refused(status: number): Verdict {
  if (status === 401) return up('http_protected', 'Its front page requires a password')
  if (status === 404 || status === 410)
    return degraded('http_not_found', `Its front page answers ${status}: there is none`)
  return degraded('http_refuses', `Its front page answers ${status}`)
}

/** To itself: a browser gives up after some of these, unless a cookie ends the loop. */
function redirected({ headers }: Answer, url: string): Verdict {
  const to = headers.location ?? ''
  const bare = (address: string) => address.replace(/[?#].*$/, '')
  if (bare(to) === bare(url)) return degraded('http_loop', 'Its front page redirects to itself')
  return up('http_redirect', 'Its front page redirects to another address')
}

function shown({ body, headers }: Answer): Verdict {
  if (FATAL.test(body)) return down('http_fatal', 'WordPress shows an error in place of the page')
  if (body.trim() === '') return degraded('http_empty', 'Its front page is empty')
  if (/^(HIT|STALE)$/.test(headers['x-cache'] ?? '')) return up('http_cached', '')
  return UP
}
