import { Elysia } from 'elysia'
import { getServer } from '#dashboard/db/targets.ts'
import type { Deps } from '#dashboard/deps.ts'
import { idIn } from '#dashboard/http/path.ts'
import { MetricsQuery } from '#shared/api/metrics.ts'
import { parse } from '#shared/parse.ts'
import { readHistory } from './read-history.ts'

export function historyRoutes({ db, clock }: Deps) {
  return new Elysia({ prefix: '/servers' }).get(
    '/:server_id/metrics',
    async ({ params, query }) => {
      const { id } = await getServer(db, idIn(params.server_id, 'Server'))
      return { metrics: await readHistory(db, id, parse(MetricsQuery, query), clock.now()) }
    },
  )
}
