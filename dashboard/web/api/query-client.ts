import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './client.ts'
import { forgetOldest, KEPT_MS } from './forget.ts'

const TRIES = 2

/**
 * What is shown stays while it is asked for again; refusals are not asked twice. `onUnauthorized`
 * hears of a session that has ended meanwhile.
 */
export function makeQueryClient(onUnauthorized: () => void): QueryClient {
  const queryCache = new QueryCache({
    onError: (error, { queryKey }) => {
      const isOver = error instanceof ApiError && error.status === 401
      if (isOver && queryKey[0] !== 'me') onUnauthorized()
    },
  })
  forgetOldest(queryCache)
  return new QueryClient({
    queryCache,
    defaultOptions: {
      queries: {
        gcTime: KEPT_MS,
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
