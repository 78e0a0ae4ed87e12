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

export const noteSignIn = () => {
  ended = false
}

export async function signIn(body: Sent<'POST /api/auth/login'>['body']) {
  const { user } = await call('POST /api/auth/login', { body })
  noteSignIn()
  return user
}

/** Returns what the account also needs after a right password; undefined for any other error. */
export function factorNeeded(error: unknown): 'code' | 'passkey' | undefined {
  const code: RefusalCode | unknown = error instanceof ApiError ? error.code : undefined
  if (code === 'second_factor_needed') return 'code'
  return code === 'passkey_needed' ? 'passkey' : undefined
}

const FACTOR_MISSING: RefusalCode = 'second_factor_missing'

/** Whether the account must set up a second factor before it can do anything else. */
export const lacksFactor = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 403 && error.code === FACTOR_MISSING

export async function signOut() {
  await call('POST /api/auth/logout')
  noteSignIn()
}
