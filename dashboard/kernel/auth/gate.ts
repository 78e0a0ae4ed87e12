import { admit } from '#dashboard/kernel/http/caller.ts'
import { pathOf } from '#dashboard/kernel/http/path.ts'
import { forbidden, unauthorized } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { findTokenCaller } from './api-tokens.ts'
import { cookieLine, cookieName, cookieOf } from './cookie.ts'
import { refusalOf } from './origin.ts'
import { findCaller, type SessionDeps } from './sessions.ts'
import { SESSION_SECONDS } from './tokens.ts'

interface Deps extends SessionDeps {
  public_url: string | undefined
  /** The routes under /api without a caller, such as `POST /api/auth/login`. */
  open: ReadonlySet<string>
}

/**
 * Authenticates a request before its body is read: everything under /api is closed except the login.
 * Throws 401, or 403 for a change with a cookie that no script of our own pages sends. Returns the
 * line of a renewed cookie.
 */
export async function gate(deps: Deps, request: Request, secure: boolean) {
  const path = pathOf(request.url)
  const token = cookieOf('session', deps, request)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (deps.open.has(`${method} ${path}`) || isOutside(path)) {
    if (token !== undefined) checkOrigin(deps, request)
    return undefined
  }
  const bearer = bearerOf(request)
  if (bearer !== undefined) return admitBearer(deps, request, bearer)
  const found = token === undefined ? undefined : await findCaller(deps, token)
  if (!found) throw unauthorized()
  checkOrigin(deps, request)
  admit(request, found)
  return (
    found.renewed && cookieLine(cookieName('session', deps), found.renewed, SESSION_SECONDS, secure)
  )
}

/** Neither /api nor another spelling of it: no percent sign, doubled slash or capital letter. */
function isOutside(path: string): boolean {
  return (
    /^\/([a-z0-9._-]+(\/[\w.-]+)*)?$/.test(path) && path !== '/api' && !path.startsWith('/api/')
  )
}

async function admitBearer(deps: Deps, request: Request, bearer: Secret): Promise<undefined> {
  const found = (await findTokenCaller(deps, bearer)) ?? (await findCaller(deps, bearer.reveal()))
  if (!found) throw unauthorized()
  admit(request, found)
}

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
