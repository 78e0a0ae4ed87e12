import { queryOptions } from '@tanstack/react-query'
import type { BulkOperationView, BulkType } from '#shared/api/bulk-operations.ts'
import { api, take } from './client.ts'

/** Everything known of one server. */
export const serverQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id],
    queryFn: async () => (await take(api.fleet.servers({ server_id }).get())).server,
    refetchInterval: 10_000,
  })

/** Begins the same on several servers. */
export async function beginOnServers(
  server_ids: readonly number[],
  type: BulkType,
  params: object = {},
): Promise<BulkOperationView> {
  const asked = api['bulk-operations'].post({ type, params, targets: { server_ids } })
  const answer = await take(asked)
  if (!('bulk_operation' in answer)) throw new Error('Nothing was begun')
  return answer.bulk_operation
}
