import { type Admission, admit } from '#dashboard/kernel/http/caller.ts'
import { pathOf } from '#dashboard/kernel/http/path.ts'
import { forbidden, unauthorized } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { findTokenCaller } from './api-tokens.ts'
import { cookieLine, cookieName, cookieOf } from './cookie.ts'
import { requireFactor } from './factor-rule.ts'
import { findCaller, type SessionDeps } from './sessions.ts'
import { SESSION_SECONDS } from './tokens.ts'

interface Deps extends SessionDeps {
  public_url: string | undefined
}

/** Where a request comes from: whether over TLS, and from which address. */
interface RequestOrigin {
  secure: boolean
  address: string
}

/**
 * Authenticates a request before its body is read: everything under /api is closed except the `open`
 * routes, such as `POST /api/auth/login`. Throws 401, or 403 for a change with a cookie that no
 * script of our own pages sends, and for an account that must set up a second factor first. Returns
 * the line of a renewed cookie.
 */
export async function gate(
  deps: Deps,
  open: ReadonlySet<string>,
  request: Request,
  { secure, address }: RequestOrigin,
) {
  const path = pathOf(request.url)
  const token = cookieOf('session', deps, request)
  if (open.has(callOf(request)) || isOutside(path)) {
    if (token !== undefined) checkOrigin(deps, request)
    return undefined
  }
  const bearer = bearerOf(request)
  if (bearer !== undefined) return admitBearer(deps, request, { bearer, address })
  const found = token === undefined ? undefined : await findCaller(deps, token)
  if (!found) throw unauthorized()
  checkOrigin(deps, request)
  await admitWithFactor(deps, request, found)
  return (
    found.renewed && cookieLine(cookieName('session', deps), found.renewed, SESSION_SECONDS, secure)
  )
}

/** Whether a path is neither /api nor another spelling of it. */
function isOutside(path: string): boolean {
  return (
    /^\/([a-z0-9._-]+(\/[\w.-]+)*)?$/.test(path) && path !== '/api' && !path.startsWith('/api/')
  )
}

async function admitBearer(
  deps: Deps,
  request: Request,
  { bearer, address }: Pick<RequestOrigin, 'address'> & { bearer: Secret },
): Promise<undefined> {
  const found =
    (await findTokenCaller(deps, bearer, address)) ?? (await findCaller(deps, bearer.reveal()))
  if (!found) throw unauthorized()
  await admitWithFactor(deps, request, found)
}

/** Admits a caller, whatever the credential is, unless the account lacks a factor that it needs. */
async function admitWithFactor(deps: Deps, request: Request, found: Admission): Promise<void> {
  await requireFactor(deps, found.caller, callOf(request))
  admit(request, found)
}

/** Names the call of a request as routes are named, such as `GET /api/servers`. */
const callOf = ({ method, url }: Request) => `${method === 'HEAD' ? 'GET' : method} ${pathOf(url)}`

function bearerOf(request: Request): Secret | undefined {
  const header = request.headers.get('authorization') ?? ''
  const token = /^bearer +([\w.~+/=-]+) *$/i.exec(header)?.[1]
  return token === undefined ? undefined : new Secret(token)
}

function checkOrigin({ public_url }: Deps, request: Request): void {
  const is_api = !isOutside(pathOf(request.url))
  const refusal = refusalOf(request, { public_url, is_api })
  if (refusal !== undefined) throw forbidden(refusal)
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The modes of `fetch`: a link, a form, an image and a frame have others, and cannot choose these. */
const SCRIPT_HEADERS = new Set(['cors', 'same-origin'])

/** The media type that no form can send, and no other page without asking first (CORS). */
const JSON_TYPE = /^application\/json\s*(;|$)/i

interface OriginRules {
  public_url: string | undefined
  /** Whether the request is a call of the API, which takes changes from scripts only, and as JSON. */
  is_api: boolean
}

/**
 * Returns why a request with a cookie may not change something; undefined if it may. Browsers name
 * the origin of a request in Sec-Fetch-Site or Origin; a client that sends neither is not a browser
 * (OWASP, CSRF prevention). A page of this origin may be made to send a form to an address that it
 * does not choose: so the API refuses navigations, and whatever a form can send.
 */
function refusalOf(request: Request, { public_url, is_api }: OriginRules): string | undefined {
  if (SAFE_METHODS.has(request.method)) return undefined
  if (!isSameOrigin(request, public_url)) return 'The request comes from another site'
  if (!is_api) return undefined
  const { headers } = request
  const isOfScript =
    SCRIPT_HEADERS.has(headers.get('sec-fetch-mode') ?? 'cors') &&
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
