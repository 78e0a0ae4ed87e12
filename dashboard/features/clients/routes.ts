import { z } from 'zod'
import { makeReport } from '#dashboard/features/reports/make-report.ts'
import { getServer, getSiteById } from '#dashboard/kernel/db/targets.ts'
import type { StreamDeps } from '#dashboard/kernel/engine/operation-answers.ts'
import { creates, shows } from '#dashboard/kernel/http/answers.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { type PathCall, routesWith } from '#dashboard/kernel/http/route.ts'
import { refuseFound, type SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import {
  ClientRestorePlan,
  ClientRestoreStarted,
  ClientSiteDetail,
  ClientSites,
  RequestRestore,
  RestoreAsClient,
} from '#shared/clients/api/clients.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { ReportQuery, SiteReport } from '#shared/reports/api/report.ts'
import { StartedLogin } from '#shared/wordpress/api/wp-login.ts'
import { findClientSite } from './queries.ts'
import { showClientSite, showClientSites } from './show-sites.ts'
import { type ClientDeps, logInAsClient, requestRestore, restoreAsClient } from './work.ts'

type Deps = StreamDeps & ClientDeps

const route = routesWith<Deps>()

/** Returns a managed site that clients see, with its server. Throws 404 for any other site. */
async function loadClientSite({
  deps: { db },
  params,
  caller,
}: PathCall<Deps, 'site_id'>): Promise<SiteTarget> {
  const id = idIn(params.site_id, 'Site')
  if (!(await findClientSite(db, id, 0))) throw notFound('Site')
  const site = refuseFound(await getSiteById(db, id))
  return { server: await getServer(db, site.server_id), site, actor: caller.user.id }
}

/** What clients of the agency see of their sites, and may do with them. */
export const clientRoutes = {
  listClientSites: route({
    at: 'GET /api/client/sites',
    summary: 'List the sites of a client',
    right: 'client',
    where: 'anywhere',
    answers: { 200: { about: 'Those that the caller may see.', json: ClientSites } },
    run: ({ deps, visible }) => showClientSites(deps, visible),
  }),
  showClientSite: route({
    at: 'GET /api/client/sites/:site_id',
    summary: 'Show a site to its client',
    right: 'client',
    answers: { 200: { about: 'The site.', json: ClientSiteDetail } },
    run: ({ deps, caller, params }) => showClientSite(deps, caller, idIn(params.site_id, 'Site')),
  }),
  showClientReport: route({
    at: 'GET /api/client/sites/:site_id/report',
    summary: 'Show the report of a site for a month to its client',
    details: 'The report that the agency can also send by mail.',
    right: 'client',
    loads: loadClientSite,
    query: ReportQuery,
    answers: shows('The report.', { report: SiteReport }),
    errors: ['conflict'],
    run: async ({ deps: { db, clock }, loaded: { site }, query }) => ({
      report: await makeReport(db, site, query.month, clock.now()),
    }),
  }),
  requestRestore: route({
    at: 'POST /api/client/sites/:site_id/restore-request',
    summary: 'Ask the agency to restore a backup',
    details:
      'The overview shows the request until a backup is restored, or somebody dismisses it; it is also mailed while `email_notifications` is on. 409 while a request for the site is open.',
    right: 'client',
    needs_session: true,
    loads: loadClientSite,
    body: RequestRestore,
    answers: creates('Asked.', {
      mailed: z
        .boolean()
        .describe('Whether a mail server has accepted the message about it.')
        .meta({ examples: [true] }),
    }),
    errors: ['conflict'],
    waits: true,
    run: async ({ deps, caller, loaded, body }) => ({
      mailed: await requestRestore(deps, caller, loaded, body),
    }),
  }),
  restoreAsClient: route({
    at: 'POST /api/client/sites/:site_id/restore',
    summary: 'Restore a backup as a client',
    details:
      'Files and database are replaced by those of the backup, after everything was fetched and checked. The previous state is kept for a week. The site shows when the restore ends.',
    right: 'restore',
    needs_confirmation: true,
    loads: loadClientSite,
    body: RestoreAsClient,
    answers: {
      200: {
        about: 'It runs, or its plan.',
        json: z.union([ClientRestoreStarted, ClientRestorePlan]),
      },
    },
    errors: ['conflict'],
    waits: true,
    run: ({ deps, loaded, body }) => restoreAsClient(deps, loaded, body),
  }),
  logInAsClient: route({
    at: 'POST /api/client/sites/:site_id/login',
    summary: 'Log in to the WordPress of a site as a client',
    details:
      'As the user of WordPress with the e-mail address of the caller; 409 without one. Answers with a token that is valid once, for a minute. The activity records it.',
    right: 'login',
    needs_session: true,
    needs_confirmation: true,
    loads: loadClientSite,
    answers: {
      200: {
        about: 'The token, and the address that the browser sends it to.',
        json: StartedLogin,
      },
    },
    errors: ['conflict'],
    waits: true,
    run: ({ deps, caller, loaded }) => logInAsClient(deps, caller, loaded),
  }),
}
