import { z } from 'zod'
import { ASKS_AGENT, begun, type Descriptions } from '#dashboard/http/describe.ts'
import { OnlyDryRun } from '#shared/api/body.ts'
import {
  CreateSite,
  SiteChanging,
  SiteDetail,
  SiteListed,
  SitePlan,
  UpdateSite,
} from '#shared/api/sites.ts'
import { PlanAnswer } from '#shared/plan.ts'

const Changing = z.strictObject({ site: SiteChanging })
const planned = { about: 'With `dry_run`: what would be done.', json: PlanAnswer }

export const siteApi: Descriptions = {
  listSites: {
    route: 'GET /api/servers/:server_id/sites',
    summary: 'List the sites of a server',
    answers: {
      200: {
        about: 'Those that are not in the trash.',
        json: z.strictObject({ sites: z.array(SiteListed) }),
      },
    },
  },
  createSite: {
    route: 'POST /api/servers/:server_id/sites',
    summary: 'Create a WordPress site',
    details: 'Answers immediately; the operation waits for an offline agent.',
    body: CreateSite,
    answers: {
      200: { about: 'With `dry_run`: what would be done.', json: SitePlan },
      201: begun('On record, and being made.', Changing),
    },
    errors: ASKS_AGENT,
  },
  getSite: {
    route: 'GET /api/servers/:server_id/sites/:site_id',
    summary: 'Show a site',
    answers: { 200: { about: 'The site.', json: z.strictObject({ site: SiteDetail }) } },
  },
  updateSite: {
    route: 'PATCH /api/servers/:server_id/sites/:site_id',
    summary: 'Move a site to another PHP version or tier, or change its database rights',
    body: UpdateSite,
    answers: { 200: planned, 202: begun('Running.', Changing) },
    errors: ASKS_AGENT,
  },
  removeSite: {
    route: 'DELETE /api/servers/:server_id/sites/:site_id',
    summary: 'Move a site to the trash',
    details: 'It can be restored until its time there is over.',
    body: OnlyDryRun,
    answers: { 200: planned, 202: begun('Running.', Changing) },
    errors: ASKS_AGENT,
  },
}
