import { Elysia } from 'elysia'
import { REQUEST_HEADER } from '#shared/agent.ts'
import { activityRoutes } from './activity/routes.ts'
import { callerOf } from './auth/caller.ts'
import { gate } from './auth/gate.ts'
import { checkRight } from './auth/rights.ts'
import { authRoutes, loginRoute } from './auth/routes.ts'
import { bulkRoutes } from './bulk/routes.ts'
import type { Deps } from './deps.ts'
import { isSecure } from './http/client.ts'
import { answerTo } from './http/errors.ts'
import { SECURITY_HEADERS, transportHeaders } from './http/headers.ts'
import { unknownPage, webRoutes } from './http/web/routes.ts'
import { mailRoutes } from './mail/routes.ts'
import { historyRoutes } from './metrics/routes.ts'
import { openApiRoutes } from './openapi/routes.ts'
import { operationRoutes } from './operations/routes.ts'
import { fleetRoutes } from './overview/routes.ts'
import { idOf } from './runtime/request-id.ts'
import { serverRoutes } from './servers/routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import { ignoreRoutes } from './sites/ignore/routes.ts'
import { siteActionRoutes, siteRoutes } from './sites/routes.ts'
import { trashListRoutes, trashRoutes } from './sites/trash/routes.ts'
import { keyRoutes } from './trust/keys/routes.ts'
import { downloadRoutes, trustRoutes } from './trust/routes.ts'

/** Every route of the dashboard. What is not named here is 404, and 401 under /api. */
export function createApp(deps: Deps) {
  const pageInstead = unknownPage(deps)
  return new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onRequest(async ({ request, server, set }) => {
      Object.assign(set.headers, headersOf(deps, request))
      const renewed = await gate(deps, request, isSecure(deps, request, server))
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
    .get('/health', () => ({ status: 'ok' as const }))
    .use(downloadRoutes(deps))
    .use(webRoutes(deps))
    .use(loginRoute(deps))
    .use(closedRoutes(deps))
}

function headersOf({ random, public_url }: Deps, request: Request) {
  const transport = transportHeaders(public_url)
  return { ...SECURITY_HEADERS, ...transport, [REQUEST_HEADER]: idOf(request, random) }
}

/** Before each of these, the second guard, whatever the gate made of the request; then the scope. */
function closedRoutes(deps: Deps) {
  return new Elysia({ prefix: '/api' })
    .onBeforeHandle(({ request, route }) => {
      checkRight(callerOf(request), request.method, route)
    })
    .use(authRoutes(deps))
    .use(serverRoutes(deps))
    .use(historyRoutes(deps))
    .use(trustRoutes(deps))
    .use(keyRoutes(deps))
    .use(siteRoutes(deps))
    .use(siteActionRoutes(deps))
    .use(mailRoutes(deps))
    .use(ignoreRoutes(deps))
    .use(trashRoutes(deps))
    .use(trashListRoutes(deps))
    .use(operationRoutes(deps))
    .use(bulkRoutes(deps))
    .use(activityRoutes(deps))
    .use(settingsRoutes(deps))
    .use(fleetRoutes(deps))
    .use(openApiRoutes())
}
