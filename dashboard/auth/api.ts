import { z } from 'zod'
import type { Descriptions } from '#dashboard/http/describe.ts'
import { ApiToken, ChangePassword, CreateApiToken, Login, User } from '#shared/api/auth.ts'

const signedOut = {
  about: 'Signed out; the cookie is taken back.',
  headers: ['Set-Cookie'],
} as const
const UserAnswer = z.strictObject({ user: User })

export const authApi: Descriptions = {
  login: {
    route: 'POST /api/auth/login',
    summary: 'Sign in',
    details:
      'Sets the cookie that all other calls need, and one that makes this device known. From one address (of IPv6, a /64), five failures of an account or twenty in all within 15 minutes are answered with 429; failures from elsewhere only delay a login, and a device that is known is counted by itself alone.',
    body: Login,
    answers: { 200: { about: 'Signed in.', json: UserAnswer, headers: ['Set-Cookie'] } },
    errors: ['unauthorized', 'too_many'],
  },
  getCaller: {
    route: 'GET /api/auth/me',
    summary: 'Tell who is signed in',
    answers: { 200: { about: 'The caller.', json: UserAnswer } },
  },
  logout: {
    route: 'POST /api/auth/logout',
    summary: 'Sign out',
    answers: { 204: signedOut },
  },
  logoutEverywhere: {
    route: 'POST /api/auth/logout-everywhere',
    summary: 'End every session and every API token of the caller',
    answers: { 204: signedOut },
  },
  changePassword: {
    route: 'POST /api/auth/password',
    summary: 'Change the own password',
    details:
      'Ends every other session and, with `end_tokens`, every API token. Five wrong current passwords in a session are answered with 429 for 15 minutes.',
    body: ChangePassword,
    answers: { 204: { about: 'Changed.' } },
    errors: ['too_many'],
  },
  listApiTokens: {
    route: 'GET /api/auth/tokens',
    summary: 'List the own API tokens',
    answers: {
      200: { about: 'The tokens.', json: z.strictObject({ tokens: z.array(ApiToken) }) },
    },
  },
  createApiToken: {
    route: 'POST /api/auth/tokens',
    summary: 'Make an API token',
    details:
      'Sent as `Authorization: Bearer <token>`, it does what its scope allows until it expires. Five wrong passwords in a session are answered with 429 for 15 minutes.',
    body: CreateApiToken,
    answers: {
      201: {
        about: 'Made. The text of the token is shown this once.',
        json: z.strictObject({
          token: ApiToken,
          plaintext: z
            .string()
            .meta({ examples: ['hc_Zk3bYwqS0v9l1nXo5tQ2Rr8cUeJ7hGdM4aPfLxIyTsE'] }),
        }),
      },
    },
    errors: ['too_many'],
  },
  removeApiToken: {
    route: 'DELETE /api/auth/tokens/:token_id',
    summary: 'Take an API token back',
    answers: { 204: { about: 'It no longer opens anything.' } },
  },
}
