import { queryOptions } from '@tanstack/react-query'
import { call, type Sent } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'

const RESTORING_MS = 3_000
const DEFAULT_MS = 15_000

type Recovery = NonNullable<Sent<'POST /api/servers/:server_id/lost'>['body']>

/** What can be restored of a server that does not answer; requested more often during restores. */
export const lostServerQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'lost'],
    queryFn: () => call('GET /api/servers/:server_id/lost', { params: { server_id } }),
    refetchInterval: ({ state: { data } }) =>
      data?.sites.some(({ state }) => state === 'restoring') ? RESTORING_MS : DEFAULT_MS,
  })

/** The plan of each site. */
export async function planRecovery(server_id: number, body: Recovery) {
  const answer = await call('POST /api/servers/:server_id/lost', {
    params: { server_id },
    body: { ...body, dry_run: true },
  })
  if (!('plans' in answer)) throw new Error('The dashboard answered without a plan')
  return answer
}

/** Returns the id of the bulk operation; undefined if no site is restored. */
export async function recoverSites(server_id: number, body: Recovery) {
  const answer = await withConfirmation(() =>
    call('POST /api/servers/:server_id/lost', { params: { server_id }, body }),
  )
  return 'bulk_operation' in answer ? answer.bulk_operation?.id : undefined
}

export const endServerLoss = (server_id: number) =>
  call('DELETE /api/servers/:server_id/lost', { params: { server_id } })
