import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadLiveSite } from '#dashboard/kernel/targets/load-site.ts'
import { IgnoredSite, IgnoreSite } from '#shared/sites/api/sites.ts'
import { type IgnoreDeps, ignoreSite } from './ignore-site.ts'

const route = routesWith<IgnoreDeps>()

export const ignoreRoutes = {
  ignoreSite: route({
    at: 'PUT /api/servers/:server_id/sites/:site_id/ignored',
    summary: 'Ignore a discovered site, or show it again',
    details:
      'An ignored site is left out of lists, counts and the overview; `GET /api/fleet/sites?ignored=true` lists it. Nothing changes on its server. 409 for a managed site.',
    right: 'operate',
    loads: loadLiveSite,
    body: IgnoreSite,
    answers: shows('Its current state.', { site: IgnoredSite }),
    errors: ['conflict'],
    run: ({ deps, loaded, body }) => ignoreSite(deps, loaded, body.ignored),
  }),
}
