import { ASKS_AGENT, shows } from '#dashboard/http/answers.ts'
import { routesWith } from '#dashboard/http/route.ts'
import type { StreamDeps } from '#dashboard/operations/answer.ts'
import { loadManagedSite } from '#dashboard/targets/load-site.ts'
import { SiteDatabase } from '#shared/api/site-database.ts'
import { readDatabase } from './read-database.ts'

const route = routesWith<StreamDeps>()

/** The database of a site. */
export const siteDatabaseRoutes = {
  readSiteDatabase: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/database',
    summary: 'Show the size of the tables of a site, and what makes them slow',
    details:
      'Read from the server with the rights of the site: names and sizes, and never a value of the database.',
    right: 'read',
    loads: loadManagedSite,
    answers: shows('The database.', { database: SiteDatabase }),
    errors: ASKS_AGENT,
    waits: true,
    run: async ({ deps, loaded }) => ({ database: await readDatabase(deps, loaded) }),
  }),
}
