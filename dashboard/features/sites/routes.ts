import { z } from 'zod'
import type { StreamDeps } from '#dashboard/kernel/engine/operation-answers.ts'
import { ASKS_AGENT, continues, shows } from '#dashboard/kernel/http/answers.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { Reply } from '#dashboard/kernel/http/reply.ts'
import { routesWith, UNTIL_CHANGED } from '#dashboard/kernel/http/route.ts'
import { visibleTo } from '#dashboard/kernel/http/visible.queries.ts'
import { withVisible } from '#dashboard/kernel/http/visible.ts'
import { loadManagedSite, loadServer } from '#dashboard/kernel/targets/load-site.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import { OPERATION_TYPES } from '#shared/operation-types.ts'
import {
  ChangingAnswer,
  CreateSite,
  DeleteSite,
  SiteDetail,
  SiteListed,
  SitePlan,
  UpdateSite,
} from '#shared/sites/api/sites.ts'
import { createSite } from './create-site.ts'
import { changingAnswer, inBackground, startInBackground } from './in-background.ts'
import { getSiteDetail, listSites } from './listing.queries.ts'
import { removeSite } from './remove-site.ts'

const route = routesWith<StreamDeps>()

export const siteRoutes = {
  listSites: route({
    at: 'GET /api/servers/:server_id/sites',
    ignores_unknown: true,
    summary: 'List the sites of a server',
    right: 'read',
    cached_ms: UNTIL_CHANGED,
    loads: loadServer,
    answers: shows('Those that are not in the trash.', { sites: z.array(SiteListed) }),
    run: async ({ deps, loaded }) => ({ sites: await listSites(deps.db, loaded.id) }),
  }),
  createSite: route({
    at: 'POST /api/servers/:server_id/sites',
    ignores_unknown: true,
    summary: 'Create a WordPress site',
    details: 'Answers immediately; the operation waits for an offline agent.',
    right: OPERATION_TYPES['site.create'].right,
    loads: loadServer,
    body: CreateSite,
    answers: {
      200: { about: 'With `dry_run`: what would be done.', json: SitePlan },
      201: continues('Stored; the creation runs.', ChangingAnswer),
    },
    errors: ASKS_AGENT,
    run: async ({ deps, loaded, body, caller }) => {
      const created = await createSite(deps, loaded, body, caller.user)
      if ('plan' in created) return withVisible(created, await visibleTo(deps.db, caller))
      const headers = { [OPERATION_HEADER]: created.operation_id }
      return new Reply(201, { site: created.site }, { headers })
    },
  }),
  getSite: route({
    at: 'GET /api/servers/:server_id/sites/:site_id',
    ignores_unknown: true,
    summary: 'Show a site',
    right: 'read',
    loads: loadServer,
    answers: shows('The site.', { site: SiteDetail }),
    run: async ({ deps, loaded, params }) => ({
      site: await getSiteDetail(deps.db, loaded.id, idIn(params.site_id, 'Site')),
    }),
  }),
  updateSite: route({
    at: 'PATCH /api/servers/:server_id/sites/:site_id',
    summary: 'Move a site to another PHP version or tier, or change its database rights',
    loads: loadManagedSite,
    body: UpdateSite,
    ...inBackground('site.update'),
    run: (call) => startInBackground(call, 'site.update', call.loaded.site.status),
  }),
  removeSite: route({
    at: 'DELETE /api/servers/:server_id/sites/:site_id',
    summary: 'Move a site to the trash',
    details:
      'It can be restored until it is permanently deleted. It is backed up first if `backup_first` says so.',
    loads: loadManagedSite,
    body: DeleteSite,
    ...inBackground('site.delete'),
    run: async ({ deps, loaded, body }) =>
      changingAnswer(loaded, await removeSite(deps, loaded, body), 'deleting'),
  }),
}
