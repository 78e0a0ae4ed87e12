import type { CookieOptions } from '@elysiajs/cookie'

interface ReplyOptions {
  headers?: Readonly<Record<string, string>>
  cookie?: { name: string; value: string; options: CookieOptions }
}

/** An answer with another status than the ordinary one, headers or a cookie. */
export class Reply<const S extends number, B> {
  readonly status: S
  readonly body: B
  readonly parts: ReplyOptions

  constructor(status: S, body: B, parts: ReplyOptions = {}) {
    this.status = status
    this.body = body
    this.parts = parts
  }
}
