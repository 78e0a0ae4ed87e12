import { isHttps } from '#dashboard/kernel/http/connection.ts'

/**
 * The cookies; `device` identifies a browser that has logged in before, `attempt` one that has
 * requested a challenge for its passkey, and `sso` one that has begun a login at a provider.
 */
type CookieKind = 'session' | 'device' | 'attempt' | 'sso'

interface Deps {
  public_url: string | undefined
}

/**
 * Returns the name of a cookie. With a public address of https, the prefix `__Host-` keeps every
 * other host of the domain from setting it (RFC 6265bis 4.1.3.2); browsers take that name only over
 * TLS.
 */
export function cookieName(kind: CookieKind, { public_url }: Deps): string {
  return isHttps(public_url) ? `__Host-${kind}` : kind
}

/** Returns the attributes of the cookies, with `maxAge` in seconds. */
export function cookieOptions(
  maxAge: number,
  secure: boolean,
  sameSite: 'strict' | 'lax' = 'strict',
) {
  return { httpOnly: true, sameSite, path: '/', maxAge, secure } as const
}

/** Writes a cookie as a header line, where there is no cookie jar to do it. */
export function cookieLine(name: string, value: string, maxAge: number, secure: boolean): string {
  const attributes = `Max-Age=${maxAge}; Path=/; HttpOnly${secure ? '; Secure' : ''}; SameSite=Strict`
  return `${name}=${value}; ${attributes}`
}

export const cookieOf = (kind: CookieKind, deps: Deps, request: Request): string | undefined =>
  cookieIn(request, cookieName(kind, deps))

/** Returns the value of a cookie in the Cookie header. */
export function cookieIn(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const text = pair.trim()
    if (text.startsWith(`${name}=`)) return text.slice(name.length + 1)
  }
  return undefined
}
