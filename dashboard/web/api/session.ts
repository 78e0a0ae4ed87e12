import { queryOptions } from '@tanstack/react-query'
import type { RefusalCode } from '#shared/kernel/errors.ts'
import { ApiError, call, type Sent } from './client.ts'

/** Who is signed in. Throws ApiError 401 when nobody is. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async () => (await call('GET /api/auth/me')).user,
  staleTime: 5 * 60_000,
  retry: false,
})

/** What the signed-in user may do; requested again when a call is refused for it. */
export const rightsQuery = queryOptions({
  queryKey: ['rights'],
  queryFn: () => call('GET /api/auth/rights'),
  staleTime: 5 * 60_000,
  refetchInterval: 5 * 60_000,
})

let ended = false

/** Whether the session ended during work, so that the login page can say so. */
export const hasSessionEnded = () => ended
export const noteSessionEnd = () => {
  ended = true
}

export async function signIn(body: Sent<'POST /api/auth/login'>['body']) {
  const { user } = await call('POST /api/auth/login', { body })
  ended = false
  return user
}

const CODE_NEEDED: RefusalCode = 'second_factor_needed'

/** Whether the password was right, and the account also needs a code. */
export const needsCode = (error: unknown): boolean =>
  error instanceof ApiError && error.code === CODE_NEEDED

export async function signOut() {
  await call('POST /api/auth/logout')
  ended = false
}
