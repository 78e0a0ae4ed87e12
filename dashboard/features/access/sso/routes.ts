import { z } from 'zod'
import { OWNERS } from '#dashboard/features/access/owners.ts'
import { cookieLine, cookieName, cookieOf, cookieOptions } from '#dashboard/kernel/auth/cookie.ts'
import { DEVICE_SECONDS } from '#dashboard/kernel/auth/devices.ts'
import { SESSION_SECONDS } from '#dashboard/kernel/auth/tokens.ts'
import { creates, shows } from '#dashboard/kernel/http/answers.ts'
import { ANONYMOUS_LIMITS } from '#dashboard/kernel/http/body.ts'
import { addressOf, type Connection, isSecure } from '#dashboard/kernel/http/connection.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { Reply } from '#dashboard/kernel/http/reply.ts'
import { type PathCall, routesWith } from '#dashboard/kernel/http/route.ts'
import {
  CreateIdentityProvider,
  FinishedSso,
  FinishSso,
  FinishSsoCode,
  Identity,
  IdentityProvider,
  LoginProvider,
  ProviderTest,
  SsoRedirect,
  StartLink,
  StartSso,
  UpdateIdentityProvider,
} from '#shared/access/api/single-sign-on.ts'
import { beginLink, beginLogin, FLOW_SECONDS, type SsoDeps } from './begin.ts'
import { discover } from './discover.ts'
import { finishSso, finishSsoCode, type SsoOrigin, type SsoResult } from './finish.ts'
import { showIdentities, unlink } from './identities.ts'
import {
  changeProvider,
  createProvider,
  getProvider,
  listEnabled,
  removeProvider,
  showProviders,
} from './providers.ts'

const route = routesWith<SsoDeps>()

const loadProvider = ({ deps, params }: PathCall<SsoDeps, 'provider_key'>) =>
  getProvider(deps, params.provider_key)

const redirect_base = z
  .string()
  .nullable()
  .meta({ examples: ['https://control.example.com/sso/'] })
  .describe('What stands before the key in a redirect address; null without PUBLIC_URL.')
const problem = z
  .string()
  .nullable()
  .meta({ examples: ['Single sign-on is off: the dashboard does not know its address'] })
  .describe('Why none of them can be used; null: they can.')

interface CookieCall {
  deps: SsoDeps
  request: Request
  server: Connection | null
}

/** Answers with the address of the provider, and with the cookie of this login. */
function redirect(
  { deps, request, server }: CookieCall,
  { url, browser }: { url: string; browser: string },
) {
  const options = cookieOptions(FLOW_SECONDS, isSecure(deps, request, server), 'lax')
  const cookie = { name: cookieName('sso', deps), value: browser, options }
  return new Reply(200, { url }, { cookie })
}

function originOf({ deps, request, server }: CookieCall): SsoOrigin {
  return {
    address: addressOf(request, server),
    user_agent: request.headers.get('user-agent'),
    device: cookieOf('device', deps, request),
    browser: cookieOf('sso', deps, request),
    session: cookieOf('session', deps, request),
  }
}

/** Answers with the cookies of a new session, if there is one. */
function finished({ deps, request, server }: CookieCall, { answer, opened }: SsoResult) {
  if (!opened) return answer
  const secure = isSecure(deps, request, server)
  const options = cookieOptions(SESSION_SECONDS, secure)
  const cookie = { name: cookieName('session', deps), value: opened.token, options }
  const known = cookieLine(cookieName('device', deps), opened.device, DEVICE_SECONDS, secure)
  return new Reply(200, answer, { cookie, headers: { 'set-cookie': known } })
}

const REDIRECT = {
  200: {
    about: 'The browser opens the address, and keeps the cookie for ten minutes.',
    json: SsoRedirect,
    headers: ['Set-Cookie'],
  },
} as const
const FINISHED = {
  200: {
    about: 'Signed in, or linked, which sets no cookie.',
    json: FinishedSso,
    headers: ['Set-Cookie'],
  },
} as const

/** Logins at providers of OpenID Connect, and who is who at them. */
export const ssoRoutes = {
  listLoginProviders: route({
    at: 'GET /api/auth/sso',
    summary: 'List the providers at which a login can begin',
    right: 'open',
    answers: shows('By name; none without PUBLIC_URL.', { providers: z.array(LoginProvider) }),
    run: async ({ deps }) => ({ providers: await listEnabled(deps) }),
  }),
  startSso: route({
    at: 'POST /api/auth/sso',
    summary: 'Begin a login at a provider',
    details:
      'With `invitation` the login accepts an invitation, in the place of a password: its e-mail address and role are those of the invitation, whatever the provider says. 404 for a provider that cannot be used. From one address (of IPv6, a /64), 60 within 15 minutes are answered with 429.',
    right: 'open',
    body: StartSso,
    body_limits: ANONYMOUS_LIMITS,
    answers: REDIRECT,
    errors: ['not_found', 'conflict', 'too_many'],
    waits: true,
    run: async (call) => {
      const { deps, body, request, server } = call
      return redirect(call, await beginLogin(deps, body, addressOf(request, server)))
    },
  }),
  finishSso: route({
    at: 'POST /api/auth/sso/finish',
    summary: 'End a login at a provider',
    details:
      'With the query of the redirect address, once, and only in the browser that has begun the login. An account with two-factor authentication also needs a code, unless its provider asks for a second factor itself: 401 with `second_factor_needed`. 20 failures from one address (of IPv6, a /64) within 15 minutes are answered with 429.',
    right: 'open',
    body: FinishSso,
    body_limits: ANONYMOUS_LIMITS,
    answers: FINISHED,
    errors: ['unauthorized', 'not_found', 'conflict', 'too_many'],
    waits: true,
    run: async (call) => finished(call, await finishSso(call.deps, call.body, originOf(call))),
  }),
  finishSsoCode: route({
    at: 'POST /api/auth/sso/code',
    summary: 'End a login at a provider with a code',
    details:
      'After 401 with `second_factor_needed`, with the same `state`, within ten minutes. A wrong code is a failure like a wrong password.',
    right: 'open',
    body: FinishSsoCode,
    body_limits: ANONYMOUS_LIMITS,
    answers: FINISHED,
    errors: ['unauthorized', 'too_many'],
    run: async (call) => finished(call, await finishSsoCode(call.deps, call.body, originOf(call))),
  }),
  listIdentities: route({
    at: 'GET /api/auth/identities',
    summary: 'List the own identities at providers',
    right: 'own.read',
    answers: shows('The identities, and whether the account has a password.', {
      identities: z.array(Identity),
      has_password: z.boolean().meta({ examples: [true] }),
    }),
    run: ({ deps, caller }) => showIdentities(deps, caller),
  }),
  startLink: route({
    at: 'POST /api/auth/identities',
    summary: 'Begin to link an identity with the own account',
    details:
      'It is linked when the login has succeeded, in the same session. 409 for an account whose role follows a claim.',
    right: 'own',
    needs_session: true,
    needs_confirmation: true,
    body: StartLink,
    answers: REDIRECT,
    errors: ['not_found', 'conflict'],
    waits: true,
    run: async (call) =>
      redirect(call, await beginLink(call.deps, call.caller, call.body.provider)),
  }),
  unlinkIdentity: route({
    at: 'DELETE /api/auth/identities/:identity_id',
    summary: 'Unlink an own identity',
    details: 'Ends every other session. 409 for the last way to log in.',
    right: 'own',
    needs_session: true,
    needs_confirmation: true,
    answers: { 204: { about: 'It no longer logs in to the account.' } },
    errors: ['conflict'],
    run: ({ deps, caller, params }) => unlink(deps, caller, idIn(params.identity_id, 'Identity')),
  }),
  listIdentityProviders: route({
    at: 'GET /api/identity-providers',
    summary: 'List the identity providers',
    right: 'read',
    answers: shows('By name, without their secrets.', {
      providers: z.array(IdentityProvider),
      redirect_base,
      problem,
    }),
    run: ({ deps }) => showProviders(deps),
  }),
  createIdentityProvider: route({
    at: 'POST /api/identity-providers',
    summary: 'Add an identity provider',
    details:
      'Its discovery document is read first: 422 on `issuer` with what is wrong. In production, an address of this machine or of a private network is not contacted, as for servers.',
    ...OWNERS,
    body: CreateIdentityProvider,
    answers: creates('Added.', { provider: IdentityProvider }),
    errors: ['conflict'],
    waits: true,
    run: async ({ deps, body, caller }) => ({ provider: await createProvider(deps, caller, body) }),
  }),
  updateIdentityProvider: route({
    at: 'PATCH /api/identity-providers/:provider_key',
    summary: 'Change an identity provider',
    details:
      'The sessions of its accounts end, but that of the caller, when it is switched off or its claim gives other roles.',
    ...OWNERS,
    loads: loadProvider,
    body: UpdateIdentityProvider,
    answers: shows('Its current state.', { provider: IdentityProvider }),
    errors: ['conflict'],
    run: async ({ deps, loaded, body, caller }) => ({
      provider: await changeProvider(deps, caller, loaded, body),
    }),
  }),
  removeIdentityProvider: route({
    at: 'DELETE /api/identity-providers/:provider_key',
    summary: 'Remove an identity provider',
    details:
      'Its identities are unlinked, and the sessions of their accounts end, but that of the caller.',
    ...OWNERS,
    loads: loadProvider,
    answers: { 204: { about: 'Removed.' } },
    errors: ['conflict'],
    run: ({ deps, loaded, caller }) => removeProvider(deps, caller, loaded),
  }),
  testIdentityProvider: route({
    at: 'POST /api/identity-providers/:provider_key/test',
    summary: 'Test an identity provider',
    details: 'Reads its discovery document. Only a login shows whether it accepts the secret.',
    ...OWNERS,
    loads: loadProvider,
    answers: { 200: { about: 'What is wrong.', json: ProviderTest } },
    errors: ['conflict'],
    waits: true,
    run: async ({ deps, loaded }) => {
      const { problems } = await discover(loaded.issuer, deps.rules)
      return { problems }
    },
  }),
}
