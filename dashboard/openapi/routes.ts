import { Elysia } from 'elysia'
import { openApiDocument } from './document.ts'

/** The same for everybody, and made once it is asked for. */
let made: { text: string; etag: string } | undefined

export function openApiRoutes() {
  return new Elysia().get('/openapi.json', ({ request, set }) => {
    made ??= make()
    set.headers['cache-control'] = 'private, no-cache'
    set.headers.etag = made.etag
    if (names(request.headers.get('if-none-match') ?? '', made.etag)) {
      set.status = 304
      return
    }
    set.headers['content-type'] = 'application/json'
    return made.text
  })
}

function make() {
  const text = JSON.stringify(openApiDocument())
  const digest = new Bun.CryptoHasher('sha256').update(text).digest('base64url').slice(0, 22)
  return { text, etag: `"${digest}"` }
}

/** RFC 9110 13.1.2: a weak comparison with each of a list, or `*`. */
function names(header: string, etag: string): boolean {
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
