import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

const LEAVING_MS = 2_000
const DEFAULT_MS = 30_000

/** The sites in the trash, in the order of their permanent deletion; requested more often while
 * one of them is restored or deleted. */
export const trashQuery = queryOptions({
  queryKey: ['trash'],
  queryFn: async () => (await call('GET /api/trash')).trash,
  refetchInterval: ({ state: { data } }) =>
    data?.some(({ status }) => status !== 'trashed') ? LEAVING_MS : DEFAULT_MS,
})
