import { Elysia } from 'elysia'
import { callerOf } from '#dashboard/auth/caller.ts'
import type { Deps } from '#dashboard/deps.ts'
import { onlyDryRun, readJson } from '#dashboard/http/body.ts'
import { idIn } from '#dashboard/http/path.ts'
import { streamJob } from '#dashboard/operations/stream.ts'
import { OPERATION_HEADER } from '#shared/agent.ts'
import { ScanSite } from '#shared/api/sites.ts'
import { parse } from '#shared/parse.ts'
import { applyPool } from './apply-pool.ts'
import { issueTls, purgeCache, scanSite, updateSite } from './change-site.ts'
import { createSite } from './create-site.ts'
import { listJobRuns } from './job-runs.ts'
import { getSiteDetail, listSites } from './listing/queries.ts'
import { livePlace, managedPlace, refuseTrashed, server } from './place.ts'
import { getSite } from './queries.ts'
import { readDatabasePassword, resetAdminPassword } from './read-password.ts'
import { planRemoval, removeSite } from './remove-site.ts'

export function siteRoutes(deps: Deps) {
  return new Elysia({ prefix: '/servers/:server_id' })
    .get('/sites', async ({ params }) => {
      const { id } = await server(deps, params)
      return { sites: await listSites(deps.db, id) }
    })
    .post('/sites', async ({ request, params, set, status }) => {
      const input = await readJson(request)
      const home = await server(deps, params)
      const created = await createSite(deps, home, input, callerOf(request).user)
      if ('plan' in created) return created
      set.headers[OPERATION_HEADER] = created.operation_id
      return status(201, { site: created.site })
    })
    .get('/sites/:site_id', async ({ params }) => {
      const { id } = await server(deps, params)
      return { site: await getSiteDetail(deps.db, id, idIn(params.site_id, 'Site')) }
    })
    .patch('/sites/:site_id', async ({ request, params, set, status }) => {
      const input = await readJson(request)
      const updated = await updateSite(deps, await managedPlace(deps, request, params), input)
      if ('plan' in updated) return updated
      set.headers[OPERATION_HEADER] = updated.operation_id
      return status(202, { site: updated.site })
    })
    .delete('/sites/:site_id', async ({ request, params, set, status }) => {
      const { dry_run } = await onlyDryRun(request)
      const { server, site, actor } = await managedPlace(deps, request, params)
      if (dry_run) return planRemoval(deps, server, site)
      const { operation_id, ...body } = await removeSite(deps, server, site, actor)
      set.headers[OPERATION_HEADER] = operation_id
      return status(202, body)
    })
}

/** What works on one site of a server, or on its pool. */
export function siteActionRoutes(deps: Deps) {
  return new Elysia({ prefix: '/servers/:server_id' })
    .post('/wp-scan', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const home = await server(deps, params)
      const { site_id } = parse(ScanSite, input)
      const site = refuseTrashed(await getSite(deps.db, home.id, site_id))
      const { id: actor, email } = callerOf(request).user
      const job = await scanSite(deps, { server: home, site, actor, email })
      return streamJob(deps, job, { request, server: listener })
    })
    .post('/pool-apply', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const home = await server(deps, params)
      listener?.timeout(request, 0)
      return applyPool(deps, home, input, callerOf(request).user.id)
    })
    .get('/sites/:site_id/job-runs', async ({ request, params }) => {
      return { runs: await listJobRuns(deps, await managedPlace(deps, request, params)) }
    })
    .post('/sites/:site_id/tls', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const job = await issueTls(deps, await managedPlace(deps, request, params), input)
      return 'plan' in job ? job : streamJob(deps, job, { request, server: listener })
    })
    .post('/sites/:site_id/cache-purge', async ({ request, params, server: listener }) => {
      listener?.timeout(request, 0)
      const { dry_run } = await onlyDryRun(request)
      return purgeCache(deps, await managedPlace(deps, request, params), dry_run)
    })
    .post('/sites/:site_id/db-password', async ({ request, params }) => {
      const { password } = await readDatabasePassword(deps, await livePlace(deps, request, params))
      return { password: password.reveal() }
    })
    .post('/sites/:site_id/admin-password', async ({ request, params }) => {
      const { user, password } = await resetAdminPassword(
        deps,
        await managedPlace(deps, request, params),
      )
      return { user, password: password.reveal() }
    })
}
