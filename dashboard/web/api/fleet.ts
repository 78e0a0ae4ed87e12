import { queryOptions } from '@tanstack/react-query'
import { api, take } from './client.ts'

/** Every server, the counts, and what needs attention. */
export const fleetQuery = queryOptions({
  queryKey: ['fleet'],
  queryFn: () => take(api.fleet.get()),
})

export type Fleet = Awaited<ReturnType<NonNullable<typeof fleetQuery.queryFn>>>
