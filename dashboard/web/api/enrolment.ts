import { type QueryClient, queryOptions, skipToken } from '@tanstack/react-query'
import type { Enrolment } from '#shared/servers/api/enrolment.ts'
import { call } from './client.ts'

const LIVE_MS = 2_000
const CODE_MS = 15 * 60_000

/** The trust and the enrolment of the agent of a server. */
export const enrolmentQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'enrolment'],
    queryFn: async () =>
      (await call('GET /api/servers/:server_id/enrolment', { params: { server_id } })).enrolment,
    refetchInterval: ({ state: { data } }) => (data?.code?.status === 'open' ? LIVE_MS : 30_000),
  })

/** The install command and the code of this page: they are returned once, and stored only here. */
export const codeQuery = (server_id: number) =>
  queryOptions<Enrolment | null>({
    queryKey: ['codes', server_id],
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: CODE_MS,
  })

/** Creates a new install command and code, which replace earlier ones. */
export async function openEnrolment(client: QueryClient, server_id: number): Promise<void> {
  const { enrolment } = await call('POST /api/servers/:server_id/enrolment', {
    params: { server_id },
  })
  client.setQueryData(codeQuery(server_id).queryKey, enrolment)
  await client.invalidateQueries({ queryKey: enrolmentQuery(server_id).queryKey })
}

export const revokeEnrolment = (server_id: number) =>
  call('DELETE /api/servers/:server_id/enrolment', { params: { server_id } })
