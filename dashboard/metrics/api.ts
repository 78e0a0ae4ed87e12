import { z } from 'zod'
import type { Descriptions } from '#dashboard/http/describe.ts'
import { MetricsHistory, MetricsQuery } from '#shared/api/metrics.ts'

export const historyApi: Descriptions = {
  getMetricsHistory: {
    route: 'GET /api/servers/:server_id/metrics',
    summary: 'Show the metrics of a server over time',
    details:
      'Each minute for a day, averages of 15 minutes for 32 days. A server that did not answer leaves a gap.',
    query: MetricsQuery,
    answers: {
      200: { about: 'Its metrics.', json: z.strictObject({ metrics: MetricsHistory }) },
    },
  },
}
