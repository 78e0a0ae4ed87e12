import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { FleetActivity } from '#shared/api/activity.ts'
import { api, take } from './client.ts'

export interface ActivityFilters {
  type?: string | undefined
  status?: FleetActivity['status'] | undefined
  domain?: string | undefined
  server_id?: number | undefined
}

const PAGE = 50

/** A page of it, newest first; `older` tells where the next one begins. */
export const activityQuery = (filters: ActivityFilters, before?: number) =>
  queryOptions({
    queryKey: ['activity', filters, before],
    queryFn: async () => {
      const query = { ...filters, before, limit: PAGE }
      const { activities, total } = await take(api.fleet.activity.get({ query }))
      return { activities, total, older: total > PAGE ? activities.at(-1)?.id : undefined }
    },
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })
