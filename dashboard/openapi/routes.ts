import { Elysia } from 'elysia'
import { accepts } from '#dashboard/http/web/files.ts'

/** The same for everybody, and made once it is asked for. */
let made: ReturnType<typeof make> | undefined

export function openApiRoutes() {
  return new Elysia().get('/openapi.json', async ({ request, set }) => {
    made ??= make()
    const { text, gzip, etag } = await made
    set.headers['cache-control'] = 'private, no-cache'
    set.headers.vary = 'accept-encoding'
    set.headers.etag = etag
    if (names(request.headers.get('if-none-match') ?? '', etag)) {
      set.status = 304
      return
    }
    set.headers['content-type'] = 'application/json'
    if (!accepts(request.headers.get('accept-encoding') ?? '', 'gzip')) return text
    set.headers['content-encoding'] = 'gzip'
    return gzip
  })
}

async function make() {
  // Not before: a tenth of the time that a dashboard takes to start.
  const { openApiDocument } = await import('./document.ts')
  const text = JSON.stringify(openApiDocument())
  const digest = new Bun.CryptoHasher('sha256').update(text).digest('base64url').slice(0, 22)
  return { text, gzip: Bun.gzipSync(text), etag: `W/"${digest}"` }
}

/** RFC 9110 13.1.2: a weak comparison with each of a list, or `*`. */
function names(header: string, etag: string): boolean {
  const tags = header.split(',').map((tag) => tag.trim())
  return tags.includes(etag) || tags.includes(etag.slice(2)) || tags.includes('*')
}
