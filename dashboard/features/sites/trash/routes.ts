import { z } from 'zod'
import { inBackground, startInBackground } from '#dashboard/features/sites/in-background.ts'
import type { StartDeps } from '#dashboard/kernel/engine/start-operation.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadSite } from '#dashboard/kernel/targets/load-site.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { PurgeSite, RestoreSite, TrashEntry } from '#shared/sites/api/sites.ts'
import { listTrash } from './queries.ts'

const route = routesWith<StartDeps>()

export const trashRoutes = {
  listTrash: route({
    at: 'GET /api/trash',
    summary: 'List the sites in the trash',
    right: 'read',
    where: 'anywhere',
    answers: shows('The next purge first.', { trash: z.array(TrashEntry) }),
    run: async ({ deps, visible }) => ({ trash: await listTrash(deps.db, visible) }),
  }),
  restoreSite: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/restore',
    summary: 'Restore a site from the trash',
    loads: loadSite,
    body: RestoreSite,
    ...inBackground('site.restore'),
    run: (call) => startInBackground(call, 'site.restore', 'provisioning'),
  }),
  purgeSite: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/purge',
    summary: 'Permanently delete a site in the trash',
    loads: loadSite,
    body: PurgeSite,
    ...inBackground('site.purge'),
    needs_confirmation: true,
    run: ({ deps, loaded, body: { domain, dry_run } }) => {
      if (domain !== loaded.site.domain)
        throw invalid({ domain: ['Must be the domain of the site'] })
      return startInBackground({ deps, loaded, body: { dry_run } }, 'site.purge', 'deleting')
    },
  }),
}
