import type { HealthState } from '#shared/kernel/values.ts'

/** The result of one check: `reason` is a sentence without its full stop. */
export interface HealthVerdict {
  state: HealthState
  code: string
  reason: string
}

const verdict =
  (state: HealthState) =>
  (code: string, reason: string): HealthVerdict => ({ state, code, reason })

export const up = verdict('up')
export const degraded = verdict('degraded')
export const down = verdict('down')
export const unknown = verdict('unknown')
export const UP = up('up', '')

/** The answer to the request of a page. */
export interface PageAnswer {
  status: number
  headers: { location?: string; 'retry-after'?: string; 'x-cache'?: string }
  /** The beginning of the body. */
  body: string
}

/** WordPress' own page for a fatal error, in every language: WP_Fatal_Error_Handler. */
const FATAL = /class="wp-die-message"|<body id="error-page">/

/**
 * Returns the verdict for the uncached front page. Redirects and protected pages are intended by
 * the owner; maintenance mode and a missing page are worth a check.
 */
export function pageVerdict(answer: PageAnswer, url: string): HealthVerdict {
  const { status } = answer
  if (status >= 500) return failing(answer)
  if (status >= 400) return refused(status)
  if (status >= 300) return redirected(answer, url)
  return shown(answer)
}

function failing({ status, headers, body }: PageAnswer): HealthVerdict {
  if (status === 503 && headers['retry-after'] !== undefined)
    return degraded('http_maintenance', 'The site is in maintenance mode')
  if (status === 500 && FATAL.test(body))
    return down('http_fatal', 'WordPress shows a critical error: a plugin or theme fails')
  if (status === 502 || status === 504)
    return down('http_gateway', `Its front page answers ${status}: PHP returned no answer`)
  return down('http_error', `Its front page answers ${status}`)
}

function refused(status: number): HealthVerdict {
  if (status === 401) return up('http_protected', 'Its front page requires a password')
  if (status === 404 || status === 410)
    return degraded('http_not_found', `Its front page answers ${status}: there is none`)
  return degraded('http_refuses', `Its front page answers ${status}`)
}

/** Finds a redirect to itself: a browser gives up, unless a cookie ends it. */
function redirected({ headers }: PageAnswer, url: string): HealthVerdict {
  const to = headers.location ?? ''
  const bare = (address: string) => address.replace(/[?#].*$/, '')
  if (bare(to) === bare(url)) return degraded('http_loop', 'Its front page redirects to itself')
  return up('http_redirect', 'Its front page redirects to another address')
}

function shown({ body, headers }: PageAnswer): HealthVerdict {
  if (FATAL.test(body)) return down('http_fatal', 'WordPress shows an error in place of the page')
  if (body.trim() === '') return degraded('http_empty', 'Its front page is empty')
  if (/^(HIT|STALE)$/.test(headers['x-cache'] ?? '')) return up('http_cached', '')
  return UP
}
