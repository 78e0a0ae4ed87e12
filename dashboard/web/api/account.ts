import { queryOptions } from '@tanstack/react-query'
import { api, done, take } from './client.ts'

interface NewPassword {
  current_password: string
  password: string
}

/** Ends every other session of the user. */
export const changePassword = (body: NewPassword) => done(api.auth.password.post(body))

export const signOutEverywhere = () => done(api.auth['logout-everywhere'].post())

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => (await take(api.auth.tokens.get())).tokens,
})

/** `plaintext` is told this once. */
export const createToken = (name: string) => take(api.auth.tokens.post({ name }))

export const deleteToken = (token_id: number) => done(api.auth.tokens({ token_id }).delete())
