import { cookie } from '@elysiajs/cookie'
import { Elysia } from 'elysia'
import { readJson } from '#dashboard/http/body.ts'
import { addressOf, type Connection, isSecure } from '#dashboard/http/client.ts'
import { idIn } from '#dashboard/http/path.ts'
import type { Bus } from '#dashboard/operations/bus.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { createApiToken, removeApiToken } from './api-tokens.ts'
import { callerOf } from './caller.ts'
import { changePassword } from './change-password.ts'
import { cookieOptions, SESSION_COOKIE } from './cookie.ts'
import { type LoginDeps, login } from './login.ts'
import { deleteSession, deleteSessions, listApiTokens } from './queries.ts'
import { SESSIONS_NEWS } from './standing.ts'
import { SESSION_SECONDS } from './tokens.ts'

/** The plugin is scoped: global, it would replace the cookie jar of every other route. */
const jar = () => cookie().as('scoped')

/** The one open route under /api. */
export function loginRoute(deps: LoginDeps) {
  return new Elysia({ prefix: '/api/auth' })
    .use(jar())
    .post('/login', async ({ request, server, setCookie }) => {
      const input = await readJson(request)
      const { user, token } = await login(deps, input, addressOf(request, connection(server)))
      const options = cookieOptions(SESSION_SECONDS, isSecure(request, connection(server)))
      setCookie(SESSION_COOKIE, token, options)
      return { user }
    })
}

export function authRoutes(deps: LoginDeps & { bus: Bus }) {
  return new Elysia({ prefix: '/auth' })
    .use(jar())
    .get('/me', ({ request }) => ({ user: callerOf(request).user }))
    .post('/logout', async ({ request, setCookie, set }) => {
      const { user, jti } = callerOf(request)
      await deleteSession(deps.db, jti, logoutEntry(deps, 'auth.logout', user.id))
      deps.bus.notify(SESSIONS_NEWS)
      setCookie(SESSION_COOKIE, '', cookieOptions(0, false))
      set.status = 204
    })
    .post('/logout-everywhere', async ({ request, setCookie, set }) => {
      const { user } = callerOf(request)
      await deleteSessions(deps.db, user.id, logoutEntry(deps, 'auth.logout_everywhere', user.id))
      deps.bus.notify(SESSIONS_NEWS)
      setCookie(SESSION_COOKIE, '', cookieOptions(0, false))
      set.status = 204
    })
    .post('/password', async ({ request, server, set }) => {
      const input = await readJson(request)
      const address = addressOf(request, connection(server))
      await changePassword(deps, callerOf(request), input, address)
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
