import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** The metrics of a server over the last so many hours. */
export const metricsQuery = (server_id: number, hours: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'metrics', hours],
    queryFn: async () => {
      const to = Date.now()
      const query = {
        from: new Date(to - hours * 3600_000).toISOString(),
        to: new Date(to).toISOString(),
      }
      const sent = { params: { server_id }, query }
      return (await call('GET /api/servers/:server_id/metrics', sent)).metrics
    },
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })
