import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** Every server, the counts, and what needs attention. */
export const fleetQuery = queryOptions({
  queryKey: ['fleet'],
  queryFn: () => call('GET /api/fleet'),
})

/** The PHP versions of each server. */
export const phpQuery = queryOptions({
  queryKey: ['fleet', 'php-versions'],
  queryFn: async () => (await call('GET /api/fleet/php-versions')).servers,
})

/** The WordPress versions of all sites, the newest first. */
export const wordpressQuery = queryOptions({
  queryKey: ['fleet', 'wordpress-versions'],
  queryFn: async () => (await call('GET /api/fleet/wordpress-versions')).versions,
})

export type Fleet = Awaited<ReturnType<NonNullable<typeof fleetQuery.queryFn>>>

/** Each server is read at its first sync after the restore. */
const AGAIN_MS = 30_000

/** What is to be looked at after a restore of the records; null: nothing. */
export const restoredQuery = queryOptions({
  queryKey: ['fleet', 'restored'],
  queryFn: async () => (await call('GET /api/fleet/restored')).restored,
  refetchInterval: ({ state }) => (state.data ? AGAIN_MS : false),
})

export const confirmRestored = () => call('DELETE /api/fleet/restored')
