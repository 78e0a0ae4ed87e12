import { z } from 'zod'
import { countSitesOf } from '#dashboard/features/overview/parts/sites.ts'
import { getSettings } from '#dashboard/features/settings/queries.ts'
import {
  getFleetSite,
  listFleetSiteIds,
  listFleetSites,
} from '#dashboard/features/sites/listing/sites.queries.ts'
import { listFleetActivities } from '#dashboard/kernel/activity/queries.ts'
import type { ActivityRecord } from '#dashboard/kernel/activity/record.ts'
import { callerStream, type StreamDeps } from '#dashboard/kernel/auth/session-stream.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import { listOperations } from '#dashboard/kernel/engine/views.queries.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { routesWith, UNTIL_CHANGED, WITH_READINGS_MS } from '#dashboard/kernel/http/route.ts'
import { visibleTo } from '#dashboard/kernel/http/visible.queries.ts'
import { withVisible } from '#dashboard/kernel/http/visible.ts'
import type { Feed } from '#dashboard/kernel/live/feed.ts'
import { FleetActivity, FleetActivityQuery } from '#shared/kernel/api/activity.ts'
import { Count } from '#shared/kernel/api/parts.ts'
import { MAX_ITEMS } from '#shared/operations/api/bulk-operations.ts'
import { FleetNews } from '#shared/operations/api/live.ts'
import { OperationsQuery } from '#shared/operations/api/operations.ts'
import {
  Fleet,
  FleetServerDetail,
  FleetSiteDetail,
  FleetSiteIds,
  FleetSitesPage,
  WordpressVersion,
} from '#shared/overview/api/fleet.ts'
import { ServerPhp } from '#shared/servers/api/servers.ts'
import { FleetSettings } from '#shared/settings/api/settings.ts'
import { FleetSiteIdsQuery, FleetSitesQuery } from '#shared/sites/api/site-filters.ts'
import { overview, withAge } from './overview.ts'
import { getFleetServer, listServerPhp, listWordpressVersions } from './queries.ts'

const RECENT = OperationsQuery.parse({ limit: '10' })

const route = routesWith<
  StreamDeps & { feed: Feed; marks: Marks; record: ActivityRecord; off_site: boolean }
>()

/** What pages need beyond the plain lists, each in one call. */
export const fleetRoutes = {
  getFleet: route({
    at: 'GET /api/fleet',
    summary: 'Show the whole fleet on one page',
    right: 'read',
    where: 'anywhere',
    cached_ms: WITH_READINGS_MS,
    answers: { 200: { about: 'Servers, counts and attention items.', json: Fleet } },
    run: ({ deps, visible }) => overview(deps, visible),
  }),
  followFleet: route({
    at: 'GET /api/fleet/events',
    summary: 'Follow changes of the fleet',
    details:
      'Numbered from 1 on each connection, and never sent again: a client that reconnects requests its data again. The stream continues until the session ends.',
    right: 'read',
    where: 'anywhere',
    answers: { 200: { about: 'The changes, live.', events: { log: FleetNews } } },
    run: async (call) => callerStream(call, { events: await call.deps.feed.listen(call.caller) }),
  }),
  getFleetServer: route({
    at: 'GET /api/fleet/servers/:server_id',
    summary: 'Show everything known of a server',
    right: 'read',
    answers: shows('The server.', { server: FleetServerDetail }),
    run: async ({ deps: { db, clock }, params }) => {
      const server_id = idIn(params.server_id, 'Server')
      const row = await getFleetServer(db, server_id)
      const { sites, updates, health } = await countSitesOf(db, clock.now(), server_id)
      const operations = await listOperations(db, { ...RECENT, server_id })
      return { server: { ...withAge(clock, row), sites, updates, health, operations } }
    },
  }),
  listPhpVersions: route({
    at: 'GET /api/fleet/php-versions',
    summary: 'List the PHP versions of all servers',
    right: 'read',
    where: 'anywhere',
    answers: shows('By the name of the server.', { servers: z.array(ServerPhp) }),
    run: async ({ deps: { db }, visible }) => ({ servers: await listServerPhp(db, visible) }),
  }),
  listWordpressVersions: route({
    at: 'GET /api/fleet/wordpress-versions',
    summary: 'List the WordPress versions of all sites',
    right: 'read',
    where: 'anywhere',
    answers: shows('The newest first, without the sites in the trash.', {
      versions: z.array(WordpressVersion),
    }),
    run: async ({ deps: { db }, visible }) => ({
      versions: await listWordpressVersions(db, visible),
    }),
  }),
  listFleetActivity: route({
    at: 'GET /api/fleet/activity',
    summary: 'List the activity with user and target',
    right: 'read',
    where: 'anywhere',
    cached_ms: UNTIL_CHANGED,
    query: FleetActivityQuery,
    answers: shows('Newest first. `total` counts all that match the filters.', {
      activities: z.array(FleetActivity),
      total: Count,
    }),
    run: ({ deps, query, visible }) => listFleetActivities(deps.db, query, visible),
  }),
  getFleetSettings: route({
    at: 'GET /api/fleet/settings',
    summary: 'Show all settings',
    right: 'read',
    answers: shows('All of them.', { settings: FleetSettings }),
    run: async ({ deps }) => ({ settings: await getSettings(deps.db) }),
  }),
  listFleetSites: route({
    at: 'GET /api/fleet/sites',
    summary: 'Search the sites of all servers',
    right: 'read',
    where: 'anywhere',
    cached_ms: WITH_READINGS_MS,
    query: FleetSitesQuery,
    answers: { 200: { about: 'One page.', json: FleetSitesPage } },
    run: async ({ deps: { db, clock }, query, visible }) => {
      const { page, per_page } = query
      const { sites, total } = await listFleetSites(db, { ...query, visible }, clock.now())
      return { sites: sites.map((site) => withVisible(site, visible)), total, page, per_page }
    },
  }),
  listFleetSiteIds: route({
    at: 'GET /api/fleet/sites/ids',
    summary: 'List the ids of all matching sites, for a bulk operation',
    right: 'read',
    where: 'anywhere',
    query: FleetSiteIdsQuery,
    answers: { 200: { about: 'All of them, up to 10,000.', json: FleetSiteIds } },
    run: ({ deps: { db, clock }, query, visible }) =>
      listFleetSiteIds(db, { ...query, visible }, { now: clock.now(), limit: MAX_ITEMS }),
  }),
  getFleetSite: route({
    at: 'GET /api/fleet/sites/:site_id',
    summary: 'Show everything known of a site',
    right: 'read',
    answers: shows('The site.', { site: FleetSiteDetail }),
    run: async ({ deps: { db, clock }, params, caller }) => {
      const site_id = idIn(params.site_id, 'Site')
      const visible = await visibleTo(db, caller)
      const site = withVisible(await getFleetSite(db, site_id, clock.now(), visible), visible)
      const operations = await listOperations(db, { ...RECENT, site_id })
      return { site: { ...site, operations } }
    },
  }),
}
