import { z } from 'zod'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { Reply } from '#dashboard/kernel/http/reply.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { accepts } from '#dashboard/kernel/http/web/files.ts'

export const healthRoutes = {
  getHealth: routesWith<unknown>()({
    at: 'GET /health',
    summary: 'Check that the dashboard runs',
    right: 'open',
    answers: shows('It does.', { status: z.literal('ok') }),
    run: () => ({ status: 'ok' as const }),
  }),
}

interface Deps {
  /** Makes the document, which takes a tenth of the time that a dashboard takes to start. */
  describe(): Promise<object>
}

export const openApiRoutes = {
  getOpenApi: routesWith<Deps>()({
    at: 'GET /api/openapi.json',
    summary: 'Show this document',
    details: 'The document has no data of the installation.',
    right: 'open',
    answers: {
      200: {
        about: 'OpenAPI 3.1.',
        json: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
        headers: ['ETag'],
      },
      304: { about: 'It matches `If-None-Match`.', headers: ['ETag'] },
    },
    example: { openapi: '3.1.1', paths: {} },
    run: async ({ deps, request }) => {
      cachedDocument ??= makeDocument(deps)
      const { text, gzip, etag } = await cachedDocument
      const caching = { 'cache-control': 'no-cache', vary: 'accept-encoding', etag }
      if (names(request.headers.get('if-none-match') ?? '', etag))
        return new Reply(304, undefined, { headers: caching })
      const headers = { ...caching, 'content-type': 'application/json' }
      if (!accepts(request.headers.get('accept-encoding') ?? '', 'gzip'))
        return new Reply(200, text, { headers })
      return new Reply(200, gzip, { headers: { ...headers, 'content-encoding': 'gzip' } })
    },
  }),
}

/** The document, which is the same for every caller and made at the first request. */
let cachedDocument: ReturnType<typeof makeDocument> | undefined

async function makeDocument({ describe }: Deps) {
  const text = new TextEncoder().encode(JSON.stringify(await describe()))
  const digest = new Bun.CryptoHasher('sha256').update(text).digest('base64url').slice(0, 22)
  return { text, gzip: Bun.gzipSync(text), etag: `W/"${digest}"` }
}

/** Whether a header names the ETag by a weak comparison (RFC 9110 13.1.2), or with `*`. */
function names(header: string, etag: string): boolean {
  const tags = header.split(',').map((tag) => tag.trim())
  return tags.includes(etag) || tags.includes(etag.slice(2)) || tags.includes('*')
}
