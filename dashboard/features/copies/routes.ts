import { z } from 'zod'
import { type StreamDeps, streamed } from '#dashboard/kernel/engine/operation-answers.ts'
import { ASKS_AGENT, continues } from '#dashboard/kernel/http/answers.ts'
import type { Names } from '#dashboard/kernel/http/places.queries.ts'
import { Reply } from '#dashboard/kernel/http/reply.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { visibleTo } from '#dashboard/kernel/http/visible.queries.ts'
import { withVisible } from '#dashboard/kernel/http/visible.ts'
import { loadManagedSite, loadServer } from '#dashboard/kernel/targets/load-site.ts'
import {
  CloneSite,
  CompareSites,
  PushSite,
  RefreshSite,
  ShownStaging,
} from '#shared/copies/api/copies.ts'
import type { CloneOf } from '#shared/copies/site.clone.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import { OnlyDryRun } from '#shared/kernel/api/body.ts'
import { PlanAnswer } from '#shared/kernel/plan.ts'
import { OPERATION_TYPES } from '#shared/operation-types.ts'
import { ChangingAnswer, SitePlan } from '#shared/sites/api/sites.ts'
import { cloneSite } from './clone-site.ts'
import { changeStagingAccess, showStagingAccess } from './staging-access.ts'

const route = routesWith<StreamDeps>()

/** Names the site or the backup that is copied. */
const sourceIn = (from: z.output<typeof CloneOf>): Names =>
  from.kind === 'site' ? { site_id: from.site_id } : { backup_id: from.backup_id }

export const copyRoutes = {
  cloneSite: route({
    at: 'POST /api/servers/:server_id/sites/clone',
    summary: 'Create a site as a copy of another one or of a backup',
    details:
      'The addresses in the database and the configuration become those of the copy, and it gets its own database and keys. Answers immediately; the operation waits for an offline agent.',
    right: OPERATION_TYPES['site.clone'].right,
    loads: loadServer,
    body: CloneSite,
    also: ({ from }) => sourceIn(from),
    answers: {
      200: { about: 'With `dry_run`: what would be done.', json: SitePlan },
      201: continues('Stored; the copy is being made.', ChangingAnswer),
    },
    errors: ASKS_AGENT,
    run: async ({ deps, loaded, body, caller }) => {
      const created = await cloneSite(deps, loaded, body, caller.user)
      if ('plan' in created) return withVisible(created, await visibleTo(deps.db, caller))
      const headers = { [OPERATION_HEADER]: created.operation_id }
      return new Reply(201, { site: created.site }, { headers })
    },
  }),
  refreshSite: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/refresh',
    summary: 'Refresh a staging site from its live site or a backup',
    details:
      'Everything is fetched before the staging site changes. Its previous state is kept for a week.',
    loads: loadManagedSite,
    body: RefreshSite,
    also: ({ from }, { site_id = '' }) => (from ? sourceIn(from) : { copy_id: site_id }),
    ...streamed('site.refresh'),
  }),
  compareSites: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/compare',
    summary: 'Compare a live site with its staging site',
    details: 'Files by name, size and time; tables by their rows since the staging site was made.',
    loads: loadManagedSite,
    body: CompareSites,
    also: ({ staging_id }) => ({ site_id: staging_id }),
    ...streamed('site.compare'),
  }),
  pushSite: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/push',
    summary: 'Push files and tables of a staging site to its live site',
    details:
      'Fails with the code `tables_changed` if one of the tables has changed on the live site, unless `overwrite` names it. 409 with `backup_needed` if the live site can be backed up, but has no backup of the last hour. The previous state is kept for a week.',
    loads: loadManagedSite,
    body: PushSite,
    also: ({ staging_id }) => ({ site_id: staging_id }),
    ...streamed('site.push'),
  }),
  showStagingPassword: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/staging-password',
    summary: 'Show the user and password that visitors of a staging site need',
    details: 'The activity records the access.',
    right: 'secrets',
    needs_confirmation: true,
    loads: loadManagedSite,
    answers: { 200: { about: 'User and password.', json: ShownStaging } },
    errors: ['conflict'],
    run: ({ deps, loaded }) => showStagingAccess(deps, loaded),
  }),
  changeStagingPassword: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/staging-password/change',
    summary: 'Change the password that visitors of a staging site need',
    details:
      'Generates a new password and returns it; the former one no longer works. `POST …/staging-password` shows it again. With `dry_run` it returns the plan.',
    right: OPERATION_TYPES['staging.password'].right,
    needs_confirmation: true,
    loads: loadManagedSite,
    body: OnlyDryRun,
    answers: { 200: { about: 'User and password.', json: z.union([ShownStaging, PlanAnswer]) } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded, body }) => changeStagingAccess(deps, loaded, body),
  }),
}
