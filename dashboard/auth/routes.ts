import { cookie } from '@elysiajs/cookie'
import { Elysia } from 'elysia'
import { readJson, STRANGER } from '#dashboard/http/body.ts'
import { addressOf, type Connection, isSecure } from '#dashboard/http/client.ts'
import { idIn } from '#dashboard/http/path.ts'
import type { Bus } from '#dashboard/runtime/bus.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { createApiToken, removeApiToken } from './api-tokens.ts'
import { callerOf } from './caller.ts'
import { changePassword } from './change-password.ts'
import { cookieLine, cookieName, cookieOf, cookieOptions } from './cookie.ts'
import { DEVICE_SECONDS } from './devices.ts'
import { type LoginDeps, login } from './login.ts'
import { deleteAccess, deleteSession, listApiTokens } from './queries.ts'
import { SESSIONS_NEWS } from './session-revocation.ts'
import { SESSION_SECONDS } from './tokens.ts'

type RouteDeps = LoginDeps & { public_url: string | undefined }

/** The plugin is scoped: global, it would replace the cookie jar of every other route. */
const jar = () => cookie().as('scoped')

/** The one open route under /api. */
export function loginRoute(deps: RouteDeps) {
  return new Elysia({ prefix: '/api/auth' })
    .use(jar())
    .post('/login', async ({ request, server, set, setCookie }) => {
      const input = await readJson(request, STRANGER)
      const peer = connection(server)
      const from = { address: addressOf(request, peer), device: cookieOf('device', deps, request) }
      const { user, token, device } = await login(deps, input, from)
      const secure = isSecure(deps, request, peer)
      setCookie(cookieName('session', deps), token, cookieOptions(SESSION_SECONDS, secure))
      const known = cookieName('device', deps)
      set.headers['set-cookie'] = cookieLine(known, device, DEVICE_SECONDS, secure)
      return { user }
    })
}

export function authRoutes(deps: RouteDeps & { bus: Bus }) {
  return new Elysia({ prefix: '/auth' })
    .use(jar())
    .get('/me', ({ request }) => ({ user: callerOf(request).user }))
    .post('/logout', async ({ request, server, setCookie, set }) => {
      const { user, jti } = callerOf(request)
      await deleteSession(deps.db, jti, logoutEntry(deps, 'auth.logout', user.id))
      deps.bus.notify(SESSIONS_NEWS)
      const secure = isSecure(deps, request, connection(server))
      setCookie(cookieName('session', deps), '', cookieOptions(0, secure))
      set.status = 204
    })
    .post('/logout-everywhere', async ({ request, server, setCookie, set }) => {
      const { user } = callerOf(request)
      await deleteAccess(deps.db, user.id, logoutEntry(deps, 'auth.logout_everywhere', user.id))
      deps.bus.notify(SESSIONS_NEWS)
      const secure = isSecure(deps, request, connection(server))
      setCookie(cookieName('session', deps), '', cookieOptions(0, secure))
      set.status = 204
    })
    .post('/password', async ({ request, set }) => {
      const input = await readJson(request)
      await changePassword(deps, callerOf(request), input)
      deps.bus.notify(SESSIONS_NEWS)
      set.status = 204
    })
    .get('/tokens', async ({ request }) => ({
      tokens: await listApiTokens(deps.db, callerOf(request).user.id),
    }))
    .post('/tokens', async ({ request, status }) => {
      const input = await readJson(request)
      const { token, plaintext } = await createApiToken(deps, callerOf(request), input)
      return status(201, { token, plaintext: plaintext.reveal() })
    })
    .delete('/tokens/:token_id', async ({ request, params, set }) => {
      await removeApiToken(deps, callerOf(request), idIn(params.token_id, 'Token'))
      deps.bus.notify(SESSIONS_NEWS)
      set.status = 204
    })
}

function logoutEntry({ clock }: LoginDeps, type: string, user_id: number) {
  return { type, domain: '', status: 'success', user_id, created_at: timestamp(clock) } as const
}

function connection(server: Connection | null): Connection | null {
  return server
}
