import { Elysia } from 'elysia'
import { listFleetActivities } from '#dashboard/activity/queries.ts'
import { callerStream } from '#dashboard/auth/session-stream.ts'
import type { Deps } from '#dashboard/deps.ts'
import { idIn } from '#dashboard/http/path.ts'
import { getFleetSite, listFleetSiteIds, listFleetSites } from '#dashboard/listing/sites.queries.ts'
import { listOperations } from '#dashboard/operations/queries.ts'
import { getSettings } from '#dashboard/settings/queries.ts'
import { ActivityQuery } from '#shared/api/activity.ts'
import { MOST_ITEMS } from '#shared/api/bulk-operations.ts'
import { FleetSiteIdsQuery, FleetSitesQuery } from '#shared/api/fleet.ts'
import { OperationsQuery } from '#shared/api/operations.ts'
import { parse } from '#shared/parse.ts'
import { overview, withAge } from './overview.ts'
import { countSites, getFleetServer } from './queries.ts'

/** The last operations shown with a server or a site. */
const RECENT = OperationsQuery.parse({ limit: '10' })

/** What pages need beyond the plain lists, each in one call. */
export function fleetRoutes(deps: Deps) {
  const { db, clock } = deps
  return new Elysia({ prefix: '/fleet' })
    .get('', () => overview(deps))
    .get('/events', async ({ request, server }) => {
      const events = await deps.feed.listen()
      return callerStream(deps, request, { server, events })
    })
    .get('/servers/:server_id', async ({ params }) => {
      const server_id = idIn(params.server_id, 'Server')
      const row = await getFleetServer(db, server_id)
      const { sites, updates, health } = await countSites(db, clock.now(), server_id)
      const operations = await listOperations(db, { ...RECENT, server_id })
      return { server: { ...withAge(clock, row), sites, updates, health, operations } }
    })
    .get('/activity', ({ query }) => listFleetActivities(db, parse(ActivityQuery, query)))
    .get('/settings', async () => ({ settings: await getSettings(db) }))
    .get('/sites', async ({ query }) => {
      const wanted = parse(FleetSitesQuery, query)
      const { page, per_page } = wanted
      return { ...(await listFleetSites(db, wanted, clock.now())), page, per_page }
    })
    .get('/sites/ids', ({ query }) => {
      const limits = { now: clock.now(), limit: MOST_ITEMS }
      return listFleetSiteIds(db, parse(FleetSiteIdsQuery, query), limits)
    })
    .get('/sites/:site_id', async ({ params }) => {
      const site_id = idIn(params.site_id, 'Site')
      const site = await getFleetSite(db, site_id, clock.now())
      const operations = await listOperations(db, { ...RECENT, site_id })
      return { site: { ...site, operations } }
    })
}
