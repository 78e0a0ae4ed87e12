/** Methods that change nothing. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a request with a cookie may change something: browsers send its origin in Sec-Fetch-Site
 * or Origin; a client that sends neither is not a browser (OWASP, CSRF prevention).
 */
export function isSameOrigin(request: Request, public_url: string | undefined): boolean {
  if (SAFE.has(request.method)) return true
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = request.headers.get('origin')
  if (origin === null) return true
  if (!URL.canParse(origin)) return false
  if (public_url !== undefined && new URL(public_url).origin === origin) return true
  return new URL(origin).host === request.headers.get('host')
}
