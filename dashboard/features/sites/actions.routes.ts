import { z } from 'zod'
import { getSite } from '#dashboard/kernel/db/targets.ts'
import {
  awaited,
  doneOrPlan,
  type StreamDeps,
  streamed,
  streamOfType,
  streamOperation,
} from '#dashboard/kernel/engine/operation-answers.ts'
import { startOperation } from '#dashboard/kernel/engine/start-operation.ts'
import { ASKS_AGENT, shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import {
  loadLiveSite,
  loadManagedSite,
  loadSite,
  serverTarget,
} from '#dashboard/kernel/targets/load-site.ts'
import { JobRun } from '#shared/jobs/api/job-runs.ts'
import {
  ApplyPool,
  IssueTls,
  ScanSite,
  ShownAdmin,
  ShownPassword,
} from '#shared/sites/api/sites.ts'
import { listJobRuns } from './job-runs.ts'
import { findSiteOfUser } from './queries.ts'
import { readDatabasePassword, resetAdminPassword } from './read-password.ts'

const route = routesWith<StreamDeps & { public_url: string | undefined }>()

const SCAN = {
  ...streamed('site.scan'),
  answers: { 200: streamOfType('site.scan', 'The events of the scan.') },
}

export const siteActionRoutes = {
  scanSiteOfServer: route({
    at: 'POST /api/servers/:server_id/wp-scan',
    ignores_unknown: true,
    summary: 'Scan the WordPress of a site of a server',
    details:
      'Joins a running scan. It needs the right on the server; with one on the site alone, use the call of the site.',
    loads: serverTarget,
    body: ScanSite,
    ...SCAN,
    run: async (call) => {
      const { deps, loaded, body } = call
      const site = await getSite(deps.db, loaded.server.id, body.site_id)
      return streamOperation(call, await startOperation(deps, 'site.scan', { ...loaded, site }, {}))
    },
  }),
  scanSite: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/scan',
    summary: 'Scan the WordPress of a site',
    details: 'Joins a running scan.',
    loads: loadSite,
    ...SCAN,
    run: async (call) =>
      streamOperation(call, await startOperation(call.deps, 'site.scan', call.loaded, {})),
  }),
  applyPool: route({
    at: 'POST /api/servers/:server_id/pool-apply',
    ignores_unknown: true,
    summary: 'Resize the PHP pool of a system user',
    details:
      'Waits for the outcome. The agent decides, since the records may be older than its server: 404 for a user that it does not have, 409 for a site that Hosting Control did not create.',
    loads: serverTarget,
    body: ApplyPool,
    ...awaited('pool.apply'),
    run: async ({ deps, loaded, body }) => {
      const site = await findSiteOfUser(deps.db, loaded.server.id, body.user)
      const message = `Applied tier ${body.tier} to the PHP ${body.php_version} pool of ${body.user}`
      return doneOrPlan(
        { deps, loaded: { ...loaded, ...(site && { site }) }, body },
        'pool.apply',
        message,
      )
    },
  }),
  listJobRuns: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/job-runs',
    summary: 'List the last runs of the scheduled jobs of a site',
    details:
      'Read from the server, which keeps the output of a run for its owner; newest first, at most 20. What the site printed is shown as plain text, without control characters.',
    right: 'read',
    loads: loadManagedSite,
    answers: shows('The runs.', { runs: z.array(JobRun) }),
    errors: ['conflict', 'offline'],
    run: async ({ deps, loaded }) => ({ runs: await listJobRuns(deps, loaded) }),
  }),
  issueTls: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/tls',
    summary: 'Issue, renew or remove the certificate of a site',
    loads: loadManagedSite,
    body: IssueTls,
    ...streamed('tls.issue'),
  }),
  readDatabasePassword: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/db-password',
    summary: 'Show the database password of a site',
    details: 'Read from the machine and not stored; the activity records the access.',
    right: 'secrets',
    needs_confirmation: true,
    loads: loadLiveSite,
    answers: { 200: { about: 'The password.', json: ShownPassword } },
    errors: ASKS_AGENT,
    run: async ({ deps, loaded }) => {
      const { password } = await readDatabasePassword(deps, loaded)
      return { password: password.reveal() }
    },
  }),
  resetAdminPassword: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/admin-password',
    summary: 'Set a new password of the WordPress administrator of a site',
    details: 'Shown once and not stored.',
    right: 'secrets',
    needs_confirmation: true,
    loads: loadManagedSite,
    answers: { 200: { about: 'The new password.', json: ShownAdmin } },
    errors: ASKS_AGENT,
    run: async ({ deps, loaded }) => {
      const { user, password } = await resetAdminPassword(deps, loaded)
      return { user, password: password.reveal() }
    },
  }),
}
