import { queryOptions } from '@tanstack/react-query'
import type { TokenScope } from '#shared/values.ts'
import { api, done, take } from './client.ts'

interface NewPassword {
  current_password: string
  password: string
  end_tokens: boolean
}

/** Ends every other session of the user and, when asked, every API token. */
export const changePassword = (body: NewPassword) => done(api.auth.password.post(body))

export const signOutEverywhere = () => done(api.auth['logout-everywhere'].post())

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => (await take(api.auth.tokens.get())).tokens,
})

export interface NewToken {
  name: string
  scope: TokenScope
  expires_in_days: number
  password: string
}

/** `plaintext` is returned this once. */
export const createToken = (body: NewToken) => take(api.auth.tokens.post(body))

export const deleteToken = (token_id: number) => done(api.auth.tokens({ token_id }).delete())
