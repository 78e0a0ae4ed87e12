import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** Sites that match a text that is being typed, requested after a pause in typing. */
export const typedSitesQuery = (
  q: string,
  { most, pause_ms }: { most: number; pause_ms: number },
) =>
  queryOptions({
    queryKey: ['sites', 'typed', q, most],
    queryFn: async ({ signal }) => {
      await pause(signal, pause_ms)
      return call('GET /api/fleet/sites', { query: { q, per_page: most }, signal })
    },
    placeholderData: keepPreviousData,
    refetchInterval: false,
    retry: false,
  })

/** Rejects when something else is typed in the meantime. */
function pause(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
