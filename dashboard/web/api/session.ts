import { queryOptions } from '@tanstack/react-query'
import { api, done, take } from './client.ts'

/** Who is signed in. Throws ApiError 401 when nobody is. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async () => (await take(api.auth.me.get())).user,
  staleTime: 5 * 60_000,
  retry: false,
})

export async function signIn(email: string, password: string) {
  return (await take(api.auth.login.post({ email, password }))).user
}

export const signOut = () => done(api.auth.logout.post())
