import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type QueryOf } from './client.ts'

const PAGE = 50

/** A page of the activity, newest first; `older` is where the next page begins. */
export const activityQuery = (filters: QueryOf<'GET /api/fleet/activity'>, before?: string) =>
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
