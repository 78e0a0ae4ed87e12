import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** Every server, the counts, and what needs attention. */
export const fleetQuery = queryOptions({
  queryKey: ['fleet'],
  queryFn: () => call('GET /api/fleet'),
})

export type Fleet = Awaited<ReturnType<NonNullable<typeof fleetQuery.queryFn>>>
