import { queryOptions } from '@tanstack/react-query'
import { call, type Sent } from './client.ts'

/** Ends every other session of the user and on request every API token. */
export const changePassword = (body: Sent<'POST /api/auth/password'>['body']) =>
  call('POST /api/auth/password', { body })

export const signOutEverywhere = () => call('POST /api/auth/logout-everywhere')

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => (await call('GET /api/auth/tokens')).tokens,
})

export type NewToken = Sent<'POST /api/auth/tokens'>['body']

/** `plaintext` is returned only once. */
export const createToken = (body: NewToken) => call('POST /api/auth/tokens', { body })

export const deleteToken = (token_id: number) =>
  call('DELETE /api/auth/tokens/:token_id', { params: { token_id } })
