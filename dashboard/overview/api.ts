import { z } from 'zod'
import type { Descriptions } from '#dashboard/http/describe.ts'
import { ActivityQuery, FleetActivity } from '#shared/api/activity.ts'
import {
  Fleet,
  FleetServerDetail,
  FleetSiteDetail,
  FleetSiteIds,
  FleetSiteIdsQuery,
  FleetSitesPage,
  FleetSitesQuery,
} from '#shared/api/fleet.ts'
import { FleetNews } from '#shared/api/live.ts'
import { Count } from '#shared/api/parts.ts'
import { FleetSettings } from '#shared/api/settings.ts'

export const fleetApi: Descriptions = {
  getFleet: {
    route: 'GET /api/fleet',
    summary: 'Show the whole fleet on one page',
    answers: { 200: { about: 'Servers, counts, and what needs attention.', json: Fleet } },
  },
  followFleet: {
    route: 'GET /api/fleet/events',
    summary: 'Follow what changes in the fleet',
    details:
      'Numbered from 1 on each connection, and never sent again: a client that reconnects requests its data again. The stream continues until the session ends.',
    answers: { 200: { about: 'What has changed, as it does.', events: { log: FleetNews } } },
  },
  getFleetServer: {
    route: 'GET /api/fleet/servers/:server_id',
    summary: 'Show everything known of a server',
    answers: {
      200: { about: 'The server.', json: z.strictObject({ server: FleetServerDetail }) },
    },
  },
  listFleetActivity: {
    route: 'GET /api/fleet/activity',
    summary: 'List what was done, by whom and where',
    query: ActivityQuery,
    answers: {
      200: {
        about: 'Newest first. `total` counts all that match the filters.',
        json: z.strictObject({ activities: z.array(FleetActivity), total: Count }),
      },
    },
  },
  getFleetSettings: {
    route: 'GET /api/fleet/settings',
    summary: 'Show all settings',
    answers: {
      200: { about: 'All of them.', json: z.strictObject({ settings: FleetSettings }) },
    },
  },
  listFleetSites: {
    route: 'GET /api/fleet/sites',
    summary: 'Search the sites of all servers',
    query: FleetSitesQuery,
    answers: { 200: { about: 'One page.', json: FleetSitesPage } },
  },
  listFleetSiteIds: {
    route: 'GET /api/fleet/sites/ids',
    summary: 'List the ids of all sites that match, for a bulk operation',
    query: FleetSiteIdsQuery,
    answers: { 200: { about: 'All of them, up to 10,000.', json: FleetSiteIds } },
  },
  getFleetSite: {
    route: 'GET /api/fleet/sites/:site_id',
    summary: 'Show everything known of a site',
    answers: { 200: { about: 'The site.', json: z.strictObject({ site: FleetSiteDetail }) } },
  },
}
