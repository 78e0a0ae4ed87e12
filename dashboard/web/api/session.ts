import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** Who is signed in. Throws ApiError 401 when nobody is. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async () => (await call('GET /api/auth/me')).user,
  staleTime: 5 * 60_000,
  retry: false,
})

let ended = false

/** Whether the session ended during work, so that the login page can say so. */
export const hasSessionEnded = () => ended
export const noteSessionEnd = () => {
  ended = true
}

export async function signIn(email: string, password: string) {
  const { user } = await call('POST /api/auth/login', { body: { email, password } })
  ended = false
  return user
}

export async function signOut() {
  await call('POST /api/auth/logout')
  ended = false
}
