import { QueryCache, QueryClient } from '@tanstack/react-query'
import { CACHE_MS, limitCache } from './cache-limit.ts'
import { ApiError } from './client.ts'

const TRIES = 2

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
 * `onUnauthorized` is called when the session has ended.
 */
export function makeQueryClient(onUnauthorized: () => void): QueryClient {
  const queryCache = new QueryCache({
    onError: (error, { queryKey }) => {
      const isOver = error instanceof ApiError && error.status === 401
      if (isOver && queryKey[0] !== 'me') onUnauthorized()
    },
  })
  limitCache(queryCache)
  return new QueryClient({
    queryCache,
    defaultOptions: {
      queries: {
        gcTime: CACHE_MS,
        staleTime: 5_000,
        refetchInterval: 30_000,
        retry: (failures, error) => isPassing(error) && failures < TRIES,
      },
    },
  })
}

function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500
}
