import type { Database } from '#dashboard/kernel/db/client.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import { loadServer } from '#dashboard/kernel/targets/load-site.ts'
import { MetricsHistory, MetricsQuery } from '#shared/metrics/api/metrics.ts'
import { readHistory } from './read-history.ts'

const route = routesWith<{ db: Database; clock: Clock }>()

export const historyRoutes = {
  getMetricsHistory: route({
    at: 'GET /api/servers/:server_id/metrics',
    summary: 'Show the metrics of a server over time',
    details:
      'Each minute for a day, averages of 15 minutes for 32 days. A server that did not answer leaves a gap.',
    right: 'read',
    loads: loadServer,
    query: MetricsQuery,
    answers: shows('Its metrics.', { metrics: MetricsHistory }),
    run: async ({ deps: { db, clock }, loaded, query }) => ({
      metrics: await readHistory(db, loaded.id, query, clock.now()),
    }),
  }),
}
