import { queryOptions } from '@tanstack/react-query'
import { call, type Sent } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'

/** Ends every other session of the user and on request every API token. */
export const changePassword = (body: Sent<'POST /api/auth/password'>['body']) =>
  withConfirmation(() => call('POST /api/auth/password', { body }))

export const totpQuery = queryOptions({
  queryKey: ['totp'],
  queryFn: async () => (await call('GET /api/auth/totp')).totp,
})

/** Creates the secret for an authenticator app, which is returned only once. */
export const startTotp = (password: string) =>
  withConfirmation(() => call('POST /api/auth/totp', { body: { password } }))

/** Turns two-factor authentication on, and returns the recovery codes, only once. */
export const confirmTotp = async (code: string) =>
  (await call('POST /api/auth/totp/confirm', { body: { code } })).recovery_codes

type Confirmed = Sent<'POST /api/auth/totp/disable'>['body']

export const replaceRecoveryCodes = async (body: Confirmed) =>
  (await call('POST /api/auth/totp/recovery-codes', { body })).recovery_codes

export const stopTotp = (body: Confirmed) => call('POST /api/auth/totp/disable', { body })

/** Another e-mail address needs the password. */
export const changeProfile = (body: Sent<'PATCH /api/auth/me'>['body']) =>
  withConfirmation(() => call('PATCH /api/auth/me', { body }))

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async () => (await call('GET /api/auth/sessions')).sessions,
})

export const endSession = (session_id: string) =>
  call('DELETE /api/auth/sessions/:session_id', { params: { session_id } })

/** Sends a link for a new password, if there is such an account. */
export const requestReset = (email: string) => call('POST /api/auth/reset', { body: { email } })

export const confirmReset = (body: Sent<'POST /api/auth/reset/confirm'>['body']) =>
  call('POST /api/auth/reset/confirm', { body })

export const signOutEverywhere = () => call('POST /api/auth/logout-everywhere')

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => (await call('GET /api/auth/tokens')).tokens,
})

export type NewToken = Sent<'POST /api/auth/tokens'>['body']

/** `plaintext` is returned only once. */
export const createToken = (body: NewToken) =>
  withConfirmation(() => call('POST /api/auth/tokens', { body }))

export const deleteToken = (token_id: number) =>
  call('DELETE /api/auth/tokens/:token_id', { params: { token_id } })
