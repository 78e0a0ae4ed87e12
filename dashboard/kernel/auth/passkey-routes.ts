import { creates, shows } from '#dashboard/kernel/http/answers.ts'
import { ANONYMOUS_LIMITS } from '#dashboard/kernel/http/body.ts'
import { isSecure } from '#dashboard/kernel/http/connection.ts'
import { Reply } from '#dashboard/kernel/http/reply.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import {
  AddPasskey,
  ChangeFactorRule,
  NewPasskeyOptions,
  OwnPasskeys,
  Passkey,
  PasskeyLogin,
  PasskeyOptions,
  RenamePasskey,
  SecondFactor,
} from '#shared/kernel/api/passkeys.ts'
import { CHALLENGE_SECONDS } from './challenges.ts'
import { cookieName, cookieOptions } from './cookie.ts'
import { changeFactorRule, showSecondFactor } from './factor-rule.ts'
import { loginWithPasskey } from './login.ts'
import {
  addOptions,
  addPasskey,
  confirmOptions,
  loginOptions,
  removePasskey,
  renamePasskey,
  showPasskeys,
} from './passkeys.ts'
import type { ResetDeps } from './password-reset.ts'
import { originOf, signedInReply, UserAnswer } from './routes.ts'
import { SESSIONS_NEWS } from './session-revocation.ts'

const route = routesWith<ResetDeps>()

const ATTEMPT_BYTES = 32
const OFF =
  '409 with `passkeys_off` where `PUBLIC_URL` is missing, or has no https or no host name.'

export const passkeyRoutes = {
  startPasskeyLogin: route({
    at: 'POST /api/auth/login/passkey/options',
    summary: 'Create the options to sign in with a passkey',
    details: `For \`navigator.credentials.get()\`. They are the same for every account, and belong to the browser that has the cookie of the answer. ${OFF}`,
    right: 'open',
    body_limits: ANONYMOUS_LIMITS,
    answers: {
      200: {
        about: 'The options, which count once within five minutes.',
        json: PasskeyOptions,
        headers: ['Set-Cookie'],
      },
    },
    errors: ['conflict'],
    run: ({ deps, request, server }) => {
      const attempt = randomText(deps.random, ATTEMPT_BYTES)
      const options = cookieOptions(CHALLENGE_SECONDS, isSecure(deps, request, server))
      const cookie = { name: cookieName('attempt', deps), value: attempt, options }
      return new Reply(200, loginOptions(deps, attempt), { cookie })
    },
  }),
  signInWithPasskey: route({
    at: 'POST /api/auth/login/passkey',
    summary: 'Sign in with a passkey alone',
    details: `Sets the cookies of \`POST /api/auth/login\`. The authenticator must have verified its user, so that it is two factors. A passkey that is not accepted counts like a wrong password. ${OFF}`,
    right: 'open',
    body: PasskeyLogin,
    body_limits: ANONYMOUS_LIMITS,
    answers: { 200: { about: 'Signed in.', json: UserAnswer, headers: ['Set-Cookie'] } },
    errors: ['unauthorized', 'conflict', 'too_many'],
    run: async ({ deps, body, request, server }) => {
      const call = { deps, request, server }
      return signedInReply(call, await loginWithPasskey(deps, body.passkey, originOf(call)))
    },
  }),
  startPasskeyConfirmation: route({
    at: 'POST /api/auth/confirm/options',
    summary: 'Create the options to confirm with a passkey',
    details: `For \`navigator.credentials.get()\`, and then \`POST /api/auth/confirm\` of the same session. ${OFF}`,
    right: 'own',
    needs_session: true,
    answers: {
      200: { about: 'The options, which count once within five minutes.', json: PasskeyOptions },
    },
    errors: ['conflict'],
    run: ({ deps, caller }) => confirmOptions(deps, caller),
  }),
  listPasskeys: route({
    at: 'GET /api/auth/passkeys',
    summary: 'List the passkeys of the caller',
    right: 'own.read',
    answers: { 200: { about: 'The passkeys, and whether they work.', json: OwnPasskeys } },
    run: ({ deps, caller }) => showPasskeys(deps, caller),
  }),
  startPasskey: route({
    at: 'POST /api/auth/passkeys/options',
    summary: 'Create the options for a new passkey',
    details: `For \`navigator.credentials.create()\`, and then \`POST /api/auth/passkeys\` of the same session. ${OFF}`,
    right: 'own',
    needs_session: true,
    needs_confirmation: true,
    answers: {
      200: { about: 'The options, which count once within five minutes.', json: NewPasskeyOptions },
    },
    run: ({ deps, caller }) => addOptions(deps, caller),
  }),
  addPasskey: route({
    at: 'POST /api/auth/passkeys',
    summary: 'Add a passkey',
    details: `The first factor of an account ends its other sessions; API tokens stay. ${OFF}`,
    right: 'own',
    needs_session: true,
    needs_confirmation: true,
    body: AddPasskey,
    answers: creates('Added.', { passkey: Passkey }),
    run: async ({ deps, caller, body }) => {
      const passkey = await addPasskey(deps, caller, body)
      deps.bus.notify(SESSIONS_NEWS)
      return { passkey }
    },
  }),
  renamePasskey: route({
    at: 'PATCH /api/auth/passkeys/:passkey_id',
    summary: 'Rename a passkey',
    right: 'own',
    needs_session: true,
    body: RenamePasskey,
    answers: shows('The renamed passkey.', { passkey: Passkey }),
    errors: ['conflict'],
    run: async ({ deps, caller, params, body }) => ({
      passkey: await renamePasskey(deps, caller, params.passkey_id, body.name),
    }),
  }),
  removePasskey: route({
    at: 'DELETE /api/auth/passkeys/:passkey_id',
    summary: 'Remove a passkey',
    details:
      'Ends every other session of the account; API tokens stay. 409 with `second_factor_required` for the only second factor of an account that needs one.',
    right: 'own',
    needs_session: true,
    needs_confirmation: true,
    answers: { 204: { about: 'It no longer works.' } },
    run: async ({ deps, caller, params }) => {
      await removePasskey(deps, caller, params.passkey_id)
      deps.bus.notify(SESSIONS_NEWS)
    },
  }),
  showSecondFactor: route({
    at: 'GET /api/auth/second-factor',
    summary: 'Show which accounts need a second factor',
    right: 'own.read',
    answers: shows('The rule, and what it means for the caller.', { second_factor: SecondFactor }),
    run: async ({ deps, caller }) => ({ second_factor: await showSecondFactor(deps, caller) }),
  }),
  changeFactorRule: route({
    at: 'PUT /api/auth/second-factor',
    summary: 'Change which accounts need a second factor',
    details:
      'An account that needs one and has none can only set one up: every other call answers 403 with `second_factor_missing`, also with its API tokens, and its streams end. 409 for an owner without a second factor.',
    right: 'accounts',
    needs_session: true,
    needs_confirmation: true,
    body: ChangeFactorRule,
    answers: shows('The changed rule.', { second_factor: SecondFactor }),
    run: async ({ deps, caller, body }) => {
      await changeFactorRule(deps, caller, body.required_for)
      deps.bus.notify(SESSIONS_NEWS)
      return { second_factor: await showSecondFactor(deps, caller) }
    },
  }),
}
