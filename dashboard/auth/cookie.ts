export const SESSION_COOKIE = 'session'

/** Attributes of the session cookie (decisions.md, Authentication). `maxAge` in seconds. */
export function cookieOptions(maxAge: number, secure: boolean) {
  return { httpOnly: true, sameSite: 'strict', path: '/', maxAge, secure } as const
}

/** The same as a header line, for the gate, where no cookie jar is at hand. */
export function cookieLine(token: string, maxAge: number, secure: boolean): string {
  const attributes = `Max-Age=${maxAge}; Path=/; HttpOnly${secure ? '; Secure' : ''}; SameSite=Strict`
  return `${SESSION_COOKIE}=${token}; ${attributes}`
}

/** The session token that a Cookie header carries. */
export function cookieToken(request: Request): string | undefined {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const text = pair.trim()
    if (text.startsWith(`${SESSION_COOKIE}=`)) return text.slice(SESSION_COOKIE.length + 1)
  }
  return undefined
}
