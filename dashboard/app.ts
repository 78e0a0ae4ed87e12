import { Elysia } from 'elysia'
import { activityRoutes } from '#dashboard/activity/routes.ts'
import { callerOf } from '#dashboard/auth/caller.ts'
import { checkRight } from '#dashboard/auth/rights.ts'
import { authRoutes, loginRoute } from '#dashboard/auth/routes.ts'
import { bulkRoutes } from '#dashboard/bulk/routes.ts'
import type { Deps } from '#dashboard/deps.ts'
import { fleetRoutes } from '#dashboard/fleet/routes.ts'
import { historyRoutes } from '#dashboard/history/routes.ts'
import { isSecure } from '#dashboard/http/client.ts'
import { answerTo } from '#dashboard/http/errors.ts'
import { gate } from '#dashboard/http/gate.ts'
import { SECURITY_HEADERS, transportHeaders } from '#dashboard/http/headers.ts'
import { unknownPage, webRoutes } from '#dashboard/http/web/routes.ts'
import { mailRoutes } from '#dashboard/mail/routes.ts'
import { openApiRoutes } from '#dashboard/openapi/routes.ts'
import { operationRoutes } from '#dashboard/operations/routes.ts'
import { idOf } from '#dashboard/runtime/request-id.ts'
import { serverRoutes } from '#dashboard/servers/routes.ts'
import { settingsRoutes } from '#dashboard/settings/routes.ts'
import { ignoreRoutes } from '#dashboard/sites/ignore/routes.ts'
import { siteActionRoutes, siteRoutes } from '#dashboard/sites/routes.ts'
import { trashListRoutes, trashRoutes } from '#dashboard/sites/trash/routes.ts'
import { keyRoutes } from '#dashboard/trust/keys/routes.ts'
import { downloadRoutes, trustRoutes } from '#dashboard/trust/routes.ts'
import { REQUEST_HEADER } from '#shared/agent.ts'

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
