import { z } from 'zod'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { creates, shows } from '#dashboard/kernel/http/answers.ts'
import { ANONYMOUS_LIMITS } from '#dashboard/kernel/http/body.ts'
import { addressOf, type Connection, isSecure } from '#dashboard/kernel/http/connection.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { Reply } from '#dashboard/kernel/http/reply.ts'
import { rightsOfCaller, rightsOnParts } from '#dashboard/kernel/http/rights.ts'
import { routesWith, UNTIL_CHANGED } from '#dashboard/kernel/http/route.ts'
import {
  ApiToken,
  CallerRights,
  ChangePassword,
  ChangeProfile,
  ChangeTotp,
  ConfirmPassword,
  ConfirmTotp,
  CreateApiToken,
  CurrentToken,
  Login,
  RecoveryCodes,
  RequestReset,
  ResetPassword,
  Session,
  StartTotp,
  TotpState,
  User,
} from '#shared/kernel/api/auth.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { rightsOf, roleOf } from '#shared/kernel/rights.ts'
import { createApiToken, listApiTokens, removeApiToken } from './api-tokens.ts'
import { changePassword } from './change-password.ts'
import { changeProfile } from './change-profile.ts'
import { cookieLine, cookieName, cookieOf, cookieOptions } from './cookie.ts'
import { DEVICE_SECONDS } from './devices.ts'
import { findGrants } from './grants.queries.ts'
import { type LoggedIn, login } from './login.ts'
import { confirmReset, type ResetDeps, requestReset } from './password-reset.ts'
import { deleteAccess, deleteSession } from './queries.ts'
import { confirmCaller } from './recent-confirmation.ts'
import {
  confirmTotp,
  replaceRecoveryCodes,
  showTotp,
  startTotp,
  stopTotp,
} from './second-factor.ts'
import { SESSIONS_NEWS } from './session-revocation.ts'
import { endSession, listSessions } from './sessions.ts'
import { SESSION_SECONDS } from './tokens.ts'

type Deps = ResetDeps

const route = routesWith<Deps>()

export const UserAnswer = z.strictObject({ user: User })
const plaintext = z.string().meta({ examples: ['hc_Zk3bYwqS0v9l1nXo5tQ2Rr8cUeJ7hGdM4aPfLxIyTsE'] })
const secret = z
  .string()
  .meta({ examples: ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'] })
  .describe('In base32, for an app that cannot read the address.')
const uri = z
  .string()
  .meta({
    examples: [
      'otpauth://totp/Hosting%20Control:admin%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Hosting%20Control&algorithm=SHA1&digits=6&period=30',
    ],
  })
  .describe('The address for the QR code.')
const signedOut = {
  204: {
    about: 'Signed out; the cookie is deleted.',
    headers: ['Set-Cookie' as const],
  },
}

export const authRoutes = {
  login: route({
    at: 'POST /api/auth/login',
    ignores_unknown: true,
    summary: 'Sign in',
    details:
      'Sets the cookie that all other calls need, and one that makes this device known. From one address (of IPv6, a /64), five failures of an account or twenty in all within 15 minutes are answered with 429; failures from elsewhere only delay a login, and a known device is counted separately. An account with two-factor authentication needs `code` too: 401 with `second_factor_needed` asks for it after a right password, and 401 with `second_factor_wrong` refuses it. A wrong code is a failure like a wrong password. `passkey` replaces the code: 401 with `passkey_needed` asks for it where the account has no app.',
    right: 'open',
    body: Login,
    body_limits: ANONYMOUS_LIMITS,
    answers: { 200: { about: 'Signed in.', json: UserAnswer, headers: ['Set-Cookie'] } },
    errors: ['unauthorized', 'too_many'],
    run: async ({ deps, body, request, server }) => {
      const call = { deps, request, server }
      return signedInReply(call, await login(deps, body, originOf(call)))
    },
  }),
  requestReset: route({
    at: 'POST /api/auth/reset',
    summary: 'Request a link to set a new password',
    details:
      'Sent by e-mail if there is such an account; the answer is the same if there is none. The link is valid for an hour, once, and ends the previous one. 409 if the dashboard cannot send mail or does not know its public address. From one address (of IPv6, a /64), three requests for an account or twenty in all within 15 minutes are answered with 429.',
    right: 'open',
    body: RequestReset,
    body_limits: ANONYMOUS_LIMITS,
    answers: { 204: { about: 'Accepted.' } },
    errors: ['conflict', 'too_many'],
    run: ({ deps, body, request, server }) =>
      requestReset(deps, addressOf(request, server), body.email),
  }),
  confirmReset: route({
    at: 'POST /api/auth/reset/confirm',
    summary: 'Set a new password with a link',
    details:
      'Ends every session of the account. It does not sign in, and a second factor stays. 422 on `token` for a link that was used, has expired or was replaced.',
    right: 'open',
    body: ResetPassword,
    body_limits: ANONYMOUS_LIMITS,
    answers: { 204: { about: 'The password is set.' } },
    run: ({ deps, body }) => confirmReset(deps, body),
  }),
  getCaller: route({
    at: 'GET /api/auth/me',
    summary: 'Show the signed-in user',
    right: 'own.read',
    cached_ms: UNTIL_CHANGED,
    answers: { 200: { about: 'The caller.', json: UserAnswer } },
    run: ({ caller: { user } }) => ({ user }),
  }),
  getRights: route({
    at: 'GET /api/auth/rights',
    summary: 'Show what the caller may do',
    details: 'The rights of an API token are those of its account that its scope includes.',
    right: 'own.read',
    answers: { 200: { about: 'The role and the rights.', json: CallerRights } },
    run: ({ caller }) => ({
      role: roleOf(caller.grants) ?? null,
      secrets: rightsOf(caller.grants).includes('secrets'),
      rights: rightsOfCaller(caller),
      parts: rightsOnParts(caller),
    }),
  }),
  getCurrentToken: route({
    at: 'GET /api/token',
    summary: 'Show the API token that makes the call',
    details:
      'What it may do now: `rights` in the whole fleet, and on `parts` of it. 404 for a session, which has no token.',
    right: 'own.read',
    answers: { 200: { about: 'The token.', json: CurrentToken } },
    errors: ['not_found'],
    run: async ({ deps, caller }) => {
      const tokens = await listApiTokens(deps, caller)
      const token = tokens.find(({ id }) => id === caller.token_id)
      if (!token) throw notFound('API token')
      const { name, scope, addresses, only_for, expires_at } = token
      const role = roleOf((await findGrants(deps, caller.user.id)).grants) ?? null
      const may = { role, rights: rightsOfCaller(caller), parts: rightsOnParts(caller) }
      return { name, scope, ...may, addresses, only_for, expires_at }
    },
  }),
  changeProfile: route({
    at: 'PATCH /api/auth/me',
    summary: 'Change the own name or e-mail address',
    details:
      'Another e-mail address needs the password, and `code` if the account has two-factor authentication. It is that of the next login. Five wrong passwords in a session are answered with 429 for 15 minutes.',
    right: 'own',
    needs_session: true,
    body: ChangeProfile,
    answers: { 200: { about: 'The changed user.', json: UserAnswer } },
    errors: ['too_many', 'conflict'],
    run: async ({ deps, caller, body }) => ({ user: await changeProfile(deps, caller, body) }),
  }),
  listSessions: route({
    at: 'GET /api/auth/sessions',
    summary: 'List the own sessions',
    right: 'own.read',
    answers: shows('The browsers in which the caller is signed in.', {
      sessions: z.array(Session),
    }),
    run: async ({ deps, caller }) => ({ sessions: await listSessions(deps, caller) }),
  }),
  endSession: route({
    at: 'DELETE /api/auth/sessions/:session_id',
    summary: 'End one of the own sessions',
    right: 'own',
    needs_session: true,
    answers: { 204: { about: 'It is signed out.' } },
    run: async ({ deps, caller, params }) => {
      await endSession(deps, caller, params.session_id)
      deps.bus.notify(SESSIONS_NEWS)
    },
  }),
  logout: route({
    at: 'POST /api/auth/logout',
    summary: 'Sign out',
    right: 'own',
    needs_session: true,
    answers: signedOut,
    run: async (call) => {
      const { deps, caller } = call
      const entry = entryOf(deps.clock, { type: 'auth.logout', user_id: caller.user.id })
      await deleteSession(deps.db, caller.jti, entry)
      return signedOutReply(call)
    },
  }),
  logoutEverywhere: route({
    at: 'POST /api/auth/logout-everywhere',
    summary: 'End every session and every API token of the caller',
    right: 'own',
    needs_session: true,
    answers: signedOut,
    run: async (call) => {
      const { deps, caller } = call
      const user_id = caller.user.id
      const entry = entryOf(deps.clock, { type: 'auth.logout_everywhere', user_id })
      await deleteAccess(deps.db, user_id, entry)
      return signedOutReply(call)
    },
  }),
  confirmPassword: route({
    at: 'POST /api/auth/confirm',
    summary: 'Confirm the password of the caller, or a passkey',
    details:
      'For calls that answer 409 with `confirmation_needed`: they need it within ten minutes before them; a login counts too. An account with two-factor authentication needs `code` too: 409 with `second_factor_needed` asks for it, or with `passkey_needed` for `passkey` alone, which answers the options of `POST /api/auth/confirm/options`. Five wrong passwords, codes or passkeys in a session are answered with 429 for 15 minutes.',
    right: 'own',
    needs_session: true,
    body: ConfirmPassword,
    answers: { 204: { about: 'Confirmed.' } },
    errors: ['conflict', 'too_many'],
    run: ({ deps, caller, body }) => confirmCaller(deps, caller, body),
  }),
  changePassword: route({
    at: 'POST /api/auth/password',
    summary: 'Change the own password',
    details:
      'Ends every other session and, with `end_tokens`, every API token. An account with two-factor authentication needs `code` too: 409 with `second_factor_needed` asks for it. Five wrong current passwords or codes in a session are answered with 429 for 15 minutes.',
    right: 'own',
    needs_session: true,
    body: ChangePassword,
    answers: { 204: { about: 'Changed.' } },
    errors: ['conflict', 'too_many'],
    run: async ({ deps, caller, body }) => {
      await changePassword(deps, caller, body)
      deps.bus.notify(SESSIONS_NEWS)
    },
  }),
  listApiTokens: route({
    at: 'GET /api/auth/tokens',
    summary: 'List the own API tokens',
    right: 'own.read',
    answers: shows('The tokens.', { tokens: z.array(ApiToken) }),
    run: async ({ deps, caller }) => ({ tokens: await listApiTokens(deps, caller) }),
  }),
  createApiToken: route({
    at: 'POST /api/auth/tokens',
    summary: 'Create an API token',
    details:
      'Sent as `Authorization: Bearer <token>`, it does what its scope and its limits allow until it expires; from an address that it does not allow, it is 401. An account with two-factor authentication needs `code` too: 409 with `second_factor_needed` asks for it. Five wrong passwords or codes in a session are answered with 429 for 15 minutes.',
    right: 'own',
    needs_session: true,
    body: CreateApiToken,
    answers: creates('Created. The text of the token is shown only once.', {
      token: ApiToken,
      plaintext,
    }),
    errors: ['conflict', 'too_many'],
    run: async ({ deps, caller, body }) => {
      const made = await createApiToken(deps, caller, body)
      return { token: made.token, plaintext: made.plaintext.reveal() }
    },
  }),
  removeApiToken: route({
    at: 'DELETE /api/auth/tokens/:token_id',
    summary: 'Delete an API token',
    right: 'own',
    answers: { 204: { about: 'It no longer works.' } },
    run: async ({ deps, caller, params }) => {
      await removeApiToken(deps, caller, idIn(params.token_id, 'Token'))
      deps.bus.notify(SESSIONS_NEWS)
    },
  }),
  showTotp: route({
    at: 'GET /api/auth/totp',
    summary: 'Show the two-factor authentication of the caller',
    right: 'own.read',
    answers: shows('Its state.', { totp: TotpState }),
    run: async ({ deps, caller }) => ({ totp: await showTotp(deps, caller.user.id) }),
  }),
  startTotp: route({
    at: 'POST /api/auth/totp',
    summary: 'Create the secret for an authenticator app',
    details:
      'It has no effect until `POST /api/auth/totp/confirm`, within an hour. 409 if two-factor authentication is on. Five wrong passwords in a session are answered with 429 for 15 minutes.',
    right: 'own',
    needs_session: true,
    body: StartTotp,
    answers: creates('Created. The secret is shown only once.', { secret, uri }),
    errors: ['conflict', 'too_many'],
    run: ({ deps, caller, body }) => startTotp(deps, caller, body),
  }),
  confirmTotp: route({
    at: 'POST /api/auth/totp/confirm',
    summary: 'Turn on two-factor authentication',
    details:
      'With the first code of the app. Ends every other session of the account; API tokens stay. Five wrong codes in a session are answered with 429 for 15 minutes.',
    right: 'own',
    needs_session: true,
    body: ConfirmTotp,
    answers: shows('It is on.', { recovery_codes: RecoveryCodes }),
    errors: ['conflict', 'too_many'],
    run: async ({ deps, caller, body }) => {
      const recovery_codes = await confirmTotp(deps, caller, body.code)
      deps.bus.notify(SESSIONS_NEWS)
      return { recovery_codes }
    },
  }),
  replaceRecoveryCodes: route({
    at: 'POST /api/auth/totp/recovery-codes',
    summary: 'Create new recovery codes',
    details:
      'The previous ones are no longer valid. Five wrong passwords or codes in a session are answered with 429 for 15 minutes.',
    right: 'own',
    needs_session: true,
    body: ChangeTotp,
    answers: shows('Created.', { recovery_codes: RecoveryCodes }),
    errors: ['conflict', 'too_many'],
    run: async ({ deps, caller, body }) => ({
      recovery_codes: await replaceRecoveryCodes(deps, caller, body),
    }),
  }),
  stopTotp: route({
    at: 'POST /api/auth/totp/disable',
    summary: 'Turn off two-factor authentication',
    details:
      'Ends every other session of the account; API tokens stay. Five wrong passwords or codes in a session are answered with 429 for 15 minutes.',
    right: 'own',
    needs_session: true,
    body: ChangeTotp,
    answers: { 204: { about: 'It is off.' } },
    errors: ['conflict', 'too_many'],
    run: async ({ deps, caller, body }) => {
      await stopTotp(deps, caller, body)
      deps.bus.notify(SESSIONS_NEWS)
    },
  }),
}

interface CookieCall {
  deps: Deps
  request: Request
  server: Connection | null
}

/** Returns the origin of a login, with the cookies of its browser. */
export const originOf = ({ deps, request, server }: CookieCall) => ({
  address: addressOf(request, server),
  user_agent: request.headers.get('user-agent'),
  device: cookieOf('device', deps, request),
  attempt: cookieOf('attempt', deps, request),
})

/** Makes the answer to a login, with the cookies of the session and of the device. */
export function signedInReply(call: CookieCall, { user, token, device }: LoggedIn) {
  const secure = isSecure(call.deps, call.request, call.server)
  const known = cookieLine(cookieName('device', call.deps), device, DEVICE_SECONDS, secure)
  const cookie = sessionCookie(call, token, SESSION_SECONDS)
  return new Reply(200, { user }, { cookie, headers: { 'set-cookie': known } })
}

function sessionCookie({ deps, request, server }: CookieCall, value: string, seconds: number) {
  const options = cookieOptions(seconds, isSecure(deps, request, server))
  return { name: cookieName('session', deps), value, options }
}

function signedOutReply(visit: CookieCall) {
  visit.deps.bus.notify(SESSIONS_NEWS)
  return new Reply(204, undefined, { cookie: sessionCookie(visit, '', 0) })
}
