import type { CookieOptions } from '@elysiajs/cookie'

interface Parts {
  headers?: Readonly<Record<string, string>>
  cookie?: { name: string; value: string; options: CookieOptions }
}

/** An answer that is more than its body. */
export class Reply<S, B> {
  readonly status: S
  readonly body: B
  readonly parts: Parts

  constructor(status: S, body: B, parts: Parts) {
    this.status = status
    this.body = body
    this.parts = parts
  }
}

/** For a status that is not the first of a route, for headers, and for a cookie. */
export function reply<const S extends number, B>(
  status: S,
  body: B,
  parts: Parts = {},
): Reply<S, B> {
  return new Reply(status, body, parts)
}
