import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

export interface ActivityFilters {
  type?: string | undefined
  status?: string | undefined
  domain?: string | undefined
  server_id?: string | undefined
}

const PAGE = 50

/** A page of it, newest first; `older` tells where the next one begins. */
export const activityQuery = (filters: ActivityFilters, before?: string) =>
  queryOptions({
    queryKey: ['activity', filters, before],
    queryFn: async () => {
      const query = { ...filters, before, limit: PAGE }
      const { activities, total } = await call('GET /api/fleet/activity', { query })
      const last = activities.at(-1)
      return { activities, total, older: total > PAGE && last ? String(last.id) : undefined }
    },
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })
