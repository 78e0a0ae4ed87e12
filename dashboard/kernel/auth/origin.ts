/** Methods that change nothing. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The modes of `fetch`: a link, a form, an image and a frame have others, and cannot choose these. */
const OF_SCRIPTS = new Set(['cors', 'same-origin'])

/** No form can send it, and no other page without asking first (CORS). */
const JSON_TYPE = /^application\/json\s*(;|$)/i

interface Rules {
  public_url: string | undefined
  /** A call of the API: it takes changes from scripts only, and as JSON. */
  is_api: boolean
}

/**
 * Why a request with a cookie may not change something; undefined if it may. Browsers name the origin
 * of a request in Sec-Fetch-Site or Origin; a client that sends neither is not a browser (OWASP, CSRF
 * prevention). A page of this origin may be made to send a form to an address that it does not choose:
 * so the API refuses navigations, and whatever a form can send.
 */
export function refusalOf(request: Request, { public_url, is_api }: Rules): string | undefined {
  if (SAFE.has(request.method)) return undefined
  if (!isSameOrigin(request, public_url)) return 'The request comes from another site'
  if (!is_api) return undefined
  const { headers } = request
  const isOfScript =
    OF_SCRIPTS.has(headers.get('sec-fetch-mode') ?? 'cors') &&
    (headers.get('sec-fetch-dest') ?? 'empty') === 'empty'
  if (!isOfScript) return 'A link or a form cannot change anything'
  const isOfBrowser = headers.has('origin') || headers.has('sec-fetch-site')
  if (!isOfBrowser || JSON_TYPE.test(headers.get('content-type') ?? '')) return undefined
  return 'A change by a browser must have the content type application/json'
}

function isSameOrigin({ headers }: Request, public_url: string | undefined): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin')
  if (origin === null) return true
  if (!URL.canParse(origin)) return false
  if (public_url !== undefined && new URL(public_url).origin === origin) return true
  return new URL(origin).host === headers.get('host')
}
