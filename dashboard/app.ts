import { Elysia } from 'elysia'
import { REQUEST_HEADER } from '#shared/agent-headers.ts'
import { gate } from './auth/gate.ts'
import type { Deps } from './deps.ts'
import { isSecure } from './http/client.ts'
import { answerTo } from './http/errors.ts'
import { SECURITY_HEADERS, transportHeaders } from './http/headers.ts'
import { openRoutes, serve } from './http/serve.ts'
import { unknownPage, webRoutes } from './http/web/routes.ts'
import { ROUTES, SUBJECTS } from './routes.ts'
import { idOf } from './runtime/request-id.ts'
import { toolPages } from './site-database/tool-pages.ts'

const OPEN = openRoutes(ROUTES)

/** Every route of the dashboard. Other paths are 404, and 401 under /api. */
export function createApp(deps: Deps) {
  const pageInstead = unknownPage(deps)
  return new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onRequest(async ({ request, server, set }) => {
      Object.assign(set.headers, headersOf(deps, request))
      const renewed = await gate({ ...deps, open: OPEN }, request, isSecure(deps, request, server))
      if (renewed) set.headers['set-cookie'] = renewed
    })
    .onError(async ({ code, error, request, set }) => {
      const { status, headers, body } = answerTo(deps, error, code, request)
      const page = await pageInstead(request, status)
      if (page) return page
      Object.assign(set.headers, headersOf(deps, request), headers)
      set.status = status
      return body
    })
    .use(serve(ROUTES, { ...deps, describe }))
    .use(toolPages(deps))
    .use(webRoutes(deps))
}

async function describe(): Promise<object> {
  const { openApiDocument } = await import('./openapi/document.ts')
  return openApiDocument(SUBJECTS)
}

function headersOf({ random, public_url }: Deps, request: Request) {
  const transport = transportHeaders(public_url)
  return { ...SECURITY_HEADERS, ...transport, [REQUEST_HEADER]: idOf(request, random) }
}
