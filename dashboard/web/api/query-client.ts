import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { CACHE_MS, limitCache } from './cache-limit.ts'
import { ApiError, isForbidden } from './client.ts'
import { lacksFactor, meQuery, rightsQuery } from './session.ts'

const TRIES = 2
/** The queries before each page, whose refusal leads to the login, or to the setup of a factor. */
const ASKED_FIRST: readonly unknown[] = [meQuery.queryKey[0], rightsQuery.queryKey[0]]

/**
 * For an answer that an agent computes, or that starts its work: requested once, also when news of
 * its subject arrive, and not kept after use.
 */
export const ONCE = {
  refetchInterval: false,
  refetchOnWindowFocus: false,
  staleTime: 'static',
  gcTime: 0,
  retry: false,
} as const

/**
 * Data stays visible while it is requested again; a refused request is not repeated.
 * `onUnauthorized` is called when the session has ended, and `onFactorMissing` when the account must
 * set up a second factor first.
 */
export function makeQueryClient(
  onUnauthorized: () => void,
  onFactorMissing: () => void,
): QueryClient {
  const queryCache = new QueryCache({
    onError: (error, { queryKey }) => {
      const isFirst = ASKED_FIRST.includes(queryKey[0])
      if (error instanceof ApiError && error.status === 401 && !isFirst) onUnauthorized()
      // The rights of the user have changed since the page was shown.
      if (isForbidden(error) && !(isFirst && lacksFactor(error))) refused(error)
    },
  })
  limitCache(queryCache)
  const mutationCache = new MutationCache({
    onError: (error) => {
      if (isForbidden(error)) refused(error)
    },
  })
  const client = new QueryClient({
    queryCache,
    mutationCache,
    defaultOptions: {
      queries: {
        gcTime: CACHE_MS,
        staleTime: 5_000,
        refetchInterval: 30_000,
        retry: (failures, error) => isPassing(error) && failures < TRIES,
      },
    },
  })
  const refused = (error: unknown) => {
    if (lacksFactor(error)) onFactorMissing()
    else void client.invalidateQueries({ queryKey: rightsQuery.queryKey })
  }
  return client
}

function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500
}
