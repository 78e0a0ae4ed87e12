import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { OperationView } from '#shared/operations/api/operations.ts'
import { call, type QueryOf, startOperation } from './client.ts'

/** In addition to the feed, which reports changes immediately. */
const LIVE_MS = 5_000

export const isActive = ({ finished_at }: Pick<OperationView, 'finished_at'>): boolean =>
  finished_at === null

/** One operation, requested until it has ended, because its events do not say that it waits. */
export const operationQuery = (operation_id: string) =>
  queryOptions({
    queryKey: ['operations', operation_id],
    queryFn: async () =>
      (await call('GET /api/operations/:operation_id', { params: { operation_id } })).operation,
    refetchInterval: ({ state: { data } }) => (data && !isActive(data) ? false : LIVE_MS),
  })

type Filters = QueryOf<'GET /api/operations'>

/** Returns the query for the operations that have not ended, newest first. */
export const activeOperationsQuery = (filters: Filters = {}) =>
  queryOptions({
    queryKey: ['operations', 'active', filters],
    queryFn: () => listOperations({ ...filters, active: true, limit: 500 }),
    refetchInterval: LIVE_MS,
  })

/** The number of running operations, at most a hundred. */
export const countActiveQuery = queryOptions({
  queryKey: ['operations', 'count'],
  queryFn: async () => (await listOperations({ active: true, limit: 100 })).length,
  refetchInterval: 15_000,
})

const PAGE = 50

/** A page of those that have ended, newest first; `older` is where the next page begins. */
export const pastOperationsQuery = (filters: Filters, before?: string) =>
  queryOptions({
    queryKey: ['operations', 'past', filters, before],
    queryFn: async () => {
      const found = await listOperations({ ...filters, before, active: false, limit: PAGE + 1 })
      const operations = found.slice(0, PAGE)
      return { operations, older: found.length > PAGE ? operations.at(-1)?.id : undefined }
    },
    placeholderData: keepPreviousData,
  })

/** Newest first. */
const listOperations = async (query: Filters): Promise<OperationView[]> =>
  (await call('GET /api/operations', { query })).operations

export async function cancelOperation(operation_id: string, force = false): Promise<OperationView> {
  const sent = { params: { operation_id }, body: { force } }
  return (await call('POST /api/operations/:operation_id/cancel', sent)).operation
}

/** The id of the new operation. */
export const retryOperation = (operation_id: string, without_backup = false): Promise<string> =>
  startOperation('POST /api/operations/:operation_id/retry', {
    params: { operation_id },
    body: { without_backup },
  })

/** Asks for an operation until it has ended. */
export async function endOfOperation(client: QueryClient, operation_id: string, pause_ms: number) {
  const query = { ...operationQuery(operation_id), staleTime: 0 }
  for (;;) {
    const operation = await client.fetchQuery(query)
    if (!isActive(operation)) return operation
    await new Promise((resolve) => setTimeout(resolve, pause_ms))
  }
}
