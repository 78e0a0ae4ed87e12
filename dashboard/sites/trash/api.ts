import { z } from 'zod'
import { ASKS_AGENT, begun, type Descriptions } from '#dashboard/http/describe.ts'
import { PurgeSite, RestoreSite, SiteChanging, TrashEntry } from '#shared/api/sites.ts'
import { PlanAnswer } from '#shared/plan.ts'

const Changing = z.strictObject({ site: SiteChanging })
const planned = { about: 'With `dry_run`: what would be done.', json: PlanAnswer }

export const trashApi: Descriptions = {
  listTrash: {
    route: 'GET /api/trash',
    summary: 'List the sites in the trash',
    answers: {
      200: {
        about: 'Those that are purged first come first.',
        json: z.strictObject({ trash: z.array(TrashEntry) }),
      },
    },
  },
  restoreSite: {
    route: 'POST /api/servers/:server_id/sites/:site_id/restore',
    summary: 'Bring a site back from the trash',
    body: RestoreSite,
    answers: { 200: planned, 202: begun('Running.', Changing) },
    errors: ASKS_AGENT,
  },
  purgeSite: {
    route: 'POST /api/servers/:server_id/sites/:site_id/purge',
    summary: 'Permanently delete a site in the trash',
    body: PurgeSite,
    answers: { 200: planned, 202: begun('Running.', Changing) },
    errors: ASKS_AGENT,
  },
}
