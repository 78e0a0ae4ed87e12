import { queryOptions } from '@tanstack/react-query'
import type { TokenScope } from '#shared/values.ts'
import { call } from './client.ts'

interface NewPassword {
  current_password: string
  password: string
  end_tokens: boolean
}

/** Ends every other session of the user and, when asked, every API token. */
export const changePassword = (body: NewPassword) => call('POST /api/auth/password', { body })

export const signOutEverywhere = () => call('POST /api/auth/logout-everywhere')

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => (await call('GET /api/auth/tokens')).tokens,
})

export interface NewToken {
  name: string
  scope: TokenScope
  expires_in_days: number
  password: string
}

/** `plaintext` is returned this once. */
export const createToken = (body: NewToken) => call('POST /api/auth/tokens', { body })

export const deleteToken = (token_id: number) =>
  call('DELETE /api/auth/tokens/:token_id', { params: { token_id } })
