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

export const EXPORT_ADDRESS = '/api/activity/export'

const RECORD_AGE = 3_600

/** The last verification of the record, of the last hour. */
export const recordQuery = queryOptions({
  queryKey: ['activity-record'],
  queryFn: () => call('GET /api/activity/verify', { query: { max_age: RECORD_AGE } }),
  staleTime: RECORD_AGE * 1000,
})

export const verifyRecord = () => call('GET /api/activity/verify')
