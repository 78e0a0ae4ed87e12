import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite } from '#dashboard/kernel/targets/load-site.ts'
import { NumbersQuery, SiteNumbers } from '#shared/metrics/api/numbers.ts'
import { readNumbers } from './read-numbers.ts'

const route = routesWith<Pick<CommonDeps, 'db' | 'clock'>>()

export const numbersRoutes = {
  getSiteNumbers: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/numbers',
    summary: 'Show the requests, errors and PHP of a site over time',
    details: 'Each minute for 6 hours, and each day for a year.',
    right: 'read',
    loads: loadManagedSite,
    query: NumbersQuery,
    answers: shows('Its numbers.', { numbers: SiteNumbers }),
    errors: ['conflict'],
    run: async ({ deps: { db, clock }, loaded: { site }, query }) => ({
      numbers: await readNumbers(db, site, query, clock.now()),
    }),
  }),
}
