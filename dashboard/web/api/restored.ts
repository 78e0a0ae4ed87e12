import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** Each server is read at its first sync after the restore. */
const AGAIN_MS = 30_000

/** What is to be looked at after a restore of the records; null: nothing. */
export const restoredQuery = queryOptions({
  queryKey: ['fleet', 'restored'],
  queryFn: async () => (await call('GET /api/fleet/restored')).restored,
  refetchInterval: ({ state }) => (state.data ? AGAIN_MS : false),
})

export const confirmRestored = () => call('DELETE /api/fleet/restored')
