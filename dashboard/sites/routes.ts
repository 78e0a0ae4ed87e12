import { Elysia } from 'elysia'
import { callerOf } from '#dashboard/auth/caller.ts'
import { getSite } from '#dashboard/db/targets.ts'
import type { Deps } from '#dashboard/deps.ts'
import { onlyDryRun, readJson } from '#dashboard/http/body.ts'
import { idIn } from '#dashboard/http/path.ts'
import { doneOrPlan, streamOrPlan } from '#dashboard/operations/answer.ts'
import { start, startOrPlan } from '#dashboard/operations/start.ts'
import { streamJob } from '#dashboard/operations/stream.ts'
import {
  loadLiveSite,
  loadManagedSite,
  loadServer,
  serverTarget,
} from '#dashboard/targets/load-site.ts'
import { OPERATION_HEADER } from '#shared/agent.ts'
import { ApplyPool, IssueTls, ScanSite, UpdateSite } from '#shared/api/sites.ts'
import { parse } from '#shared/parse.ts'
import { createSite } from './create-site.ts'
import { changing, inBackground } from './in-background.ts'
import { listJobRuns } from './job-runs.ts'
import { getSiteDetail, listSites } from './listing.queries.ts'
import { getSiteOfUser } from './queries.ts'
import { readDatabasePassword, resetAdminPassword } from './read-password.ts'
import { removeSite } from './remove-site.ts'

export function siteRoutes(deps: Deps) {
  return new Elysia({ prefix: '/servers/:server_id' })
    .get('/sites', async ({ params }) => {
      const { id } = await loadServer(deps, params)
      return { sites: await listSites(deps.db, id) }
    })
    .post('/sites', async ({ request, params, set, status }) => {
      const input = await readJson(request)
      const home = await loadServer(deps, params)
      const created = await createSite(deps, home, input, callerOf(request).user)
      if ('plan' in created) return created
      set.headers[OPERATION_HEADER] = created.operation_id
      return status(201, { site: created.site })
    })
    .get('/sites/:site_id', async ({ params }) => {
      const { id } = await loadServer(deps, params)
      return { site: await getSiteDetail(deps.db, id, idIn(params.site_id, 'Site')) }
    })
    .patch('/sites/:site_id', async ({ request, params, set }) => {
      const body = await readJson(request)
      const target = await loadManagedSite(deps, request, params)
      const input = parse(UpdateSite, body)
      return inBackground(deps, 'site.update', { target, input, as: target.site.status }, set)
    })
    .delete('/sites/:site_id', async ({ request, params, set, status }) => {
      const { dry_run } = await onlyDryRun(request)
      const target = await loadManagedSite(deps, request, params)
      const removed = await removeSite(deps, target, { dry_run })
      if ('plan' in removed) return removed
      set.headers[OPERATION_HEADER] = removed.operation_id
      return status(202, { site: changing(target, 'deleting') })
    })
}

/** What works on one site of a server, or on its pool. */
export function siteActionRoutes(deps: Deps) {
  return new Elysia({ prefix: '/servers/:server_id' })
    .post('/wp-scan', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const target = await serverTarget(deps, request, params)
      const { site_id } = parse(ScanSite, input)
      const site = await getSite(deps.db, target.server.id, site_id)
      return streamJob(deps, await start(deps, 'site.scan', { ...target, site }, {}), {
        request,
        server: listener,
      })
    })
    .post('/pool-apply', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const target = await serverTarget(deps, request, params)
      listener?.timeout(request, 0)
      const pool = parse(ApplyPool, input)
      const site = await getSiteOfUser(deps.db, target.server.id, pool.user)
      const started = await startOrPlan(deps, 'pool.apply', { ...target, site }, pool)
      const message = `Applied tier ${pool.tier} to the PHP ${pool.php_version} pool of ${pool.user}`
      return doneOrPlan(deps, started, message)
    })
    .get('/sites/:site_id/job-runs', async ({ request, params }) => {
      return { runs: await listJobRuns(deps, await loadManagedSite(deps, request, params)) }
    })
    .post('/sites/:site_id/tls', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const target = await loadManagedSite(deps, request, params)
      const started = await startOrPlan(deps, 'tls.issue', target, parse(IssueTls, input))
      return streamOrPlan(deps, started, { request, server: listener })
    })
    .post('/sites/:site_id/cache-purge', async ({ request, params, server: listener }) => {
      listener?.timeout(request, 0)
      const input = await onlyDryRun(request)
      const target = await loadManagedSite(deps, request, params)
      const started = await startOrPlan(deps, 'cache.purge', target, input)
      return doneOrPlan(deps, started, `Emptied the page cache of ${target.site.domain}`)
    })
    .post('/sites/:site_id/db-password', async ({ request, params }) => {
      const { password } = await readDatabasePassword(
        deps,
        await loadLiveSite(deps, request, params),
      )
      return { password: password.reveal() }
    })
    .post('/sites/:site_id/admin-password', async ({ request, params }) => {
      const { user, password } = await resetAdminPassword(
        deps,
        await loadManagedSite(deps, request, params),
      )
      return { user, password: password.reveal() }
    })
}
