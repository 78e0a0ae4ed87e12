import type { CookieOptions } from '@elysiajs/cookie'

interface Parts {
  headers?: Readonly<Record<string, string>>
  cookie?: { name: string; value: string; options: CookieOptions }
}

/** An answer that is more than its body: another status than the usual, headers, a cookie. */
export class Reply<const S extends number, B> {
  readonly status: S
  readonly body: B
  readonly parts: Parts

  constructor(status: S, body: B, parts: Parts = {}) {
    this.status = status
    this.body = body
    this.parts = parts
  }
}
