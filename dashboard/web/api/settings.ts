import { queryOptions } from '@tanstack/react-query'
import { api, take } from './client.ts'

/** What is usual for the whole dashboard. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async () => (await take(api.settings.get())).settings,
})
