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
