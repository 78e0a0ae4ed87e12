import { Elysia } from 'elysia'
import { toolPages } from '#dashboard/features/database/tool-pages.ts'
import { gate } from '#dashboard/kernel/auth/gate.ts'
import { addressOf, isSecure } from '#dashboard/kernel/http/connection.ts'
import { answerTo } from '#dashboard/kernel/http/errors.ts'
import { SECURITY_HEADERS, transportHeaders } from '#dashboard/kernel/http/headers.ts'
import { openRoutes, serve } from '#dashboard/kernel/http/serve.ts'
import { unknownPage, webRoutes } from '#dashboard/kernel/http/web/routes.ts'
import { requestIdOf } from '#dashboard/kernel/runtime/request-id.ts'
import { REQUEST_HEADER } from '#shared/kernel/agent-headers.ts'
import type { Deps } from './deps.ts'
import { ROUTES, SUBJECTS } from './routes.ts'

const OPEN_ROUTES = openRoutes(ROUTES)

/** Every route of the dashboard. Other paths are 404, and 401 under /api. */
export function createApp(deps: Deps) {
  const pageInstead = unknownPage(deps)
  return new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onRequest(async ({ request, server, set }) => {
      Object.assign(set.headers, headersOf(deps, request))
      const origin = {
        secure: isSecure(deps, request, server),
        address: addressOf(request, server),
      }
      const renewed = await gate(deps, OPEN_ROUTES, request, origin)
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
    .use(serve(ROUTES, Object.assign(deps, { describe })))
    .use(toolPages(deps))
    .use(webRoutes(deps))
}

async function describe(): Promise<object> {
  const { openApiDocument } = await import('#dashboard/features/openapi/document.ts')
  return openApiDocument(SUBJECTS)
}

function headersOf({ random, public_url }: Deps, request: Request) {
  const transport = transportHeaders(public_url)
  return { ...SECURITY_HEADERS, ...transport, [REQUEST_HEADER]: requestIdOf(request, random) }
}
