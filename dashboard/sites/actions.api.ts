import { z } from 'zod'
import { ASKS_AGENT, type Descriptions, streamOf } from '#dashboard/http/describe.ts'
import { OnlyDryRun } from '#shared/api/body.ts'
import { eventsOf } from '#shared/api/events.ts'
import { JobRun } from '#shared/api/job-runs.ts'
import { Done } from '#shared/api/parts.ts'
import { ApplyPool, IssueTls, ScanSite, ShownAdmin, ShownPassword } from '#shared/api/sites.ts'
import { PlanAnswer } from '#shared/plan.ts'

const done = { about: 'Done, or its plan.', json: z.union([Done, PlanAnswer]) }

/** What works on one site of a server, or on its pool. */
export const siteActionApi: Descriptions = {
  scanSite: {
    route: 'POST /api/servers/:server_id/wp-scan',
    summary: 'Read what WordPress is made of on a site',
    details: 'Joins a running scan.',
    body: ScanSite,
    answers: { 200: streamOf('The scan as it goes.', eventsOf('site.scan')) },
    errors: ASKS_AGENT,
  },
  applyPool: {
    route: 'POST /api/servers/:server_id/pool-apply',
    summary: 'Resize the PHP pool of a system user',
    details: 'Waits for the outcome.',
    body: ApplyPool,
    answers: { 200: done },
    errors: ASKS_AGENT,
  },
  listJobRuns: {
    route: 'GET /api/servers/:server_id/sites/:site_id/job-runs',
    summary: 'List the last runs of the scheduled jobs of a site',
    details:
      'Read from the server, which keeps the output of a run for its owner; newest first, at most 20. What the site printed is shown as plain text, without control characters.',
    answers: {
      200: { about: 'The runs.', json: z.strictObject({ runs: z.array(JobRun) }) },
    },
    errors: ['conflict', 'offline'],
  },
  issueTls: {
    route: 'POST /api/servers/:server_id/sites/:site_id/tls',
    summary: 'Give a site a certificate, renew it or take it away',
    body: IssueTls,
    answers: {
      200: {
        ...streamOf('The work as it goes, or its plan.', eventsOf('tls.issue')),
        json: PlanAnswer,
      },
    },
    errors: ASKS_AGENT,
  },
  purgeCache: {
    route: 'POST /api/servers/:server_id/sites/:site_id/cache-purge',
    summary: 'Clear the page cache of a site',
    details: 'Waits for the outcome.',
    body: OnlyDryRun,
    answers: { 200: done },
    errors: ASKS_AGENT,
  },
  readDatabasePassword: {
    route: 'POST /api/servers/:server_id/sites/:site_id/db-password',
    summary: 'Show the database password of a site',
    details: 'Read from the machine and not stored; the activity records the access.',
    answers: { 200: { about: 'The password.', json: ShownPassword } },
    errors: ASKS_AGENT,
  },
  resetAdminPassword: {
    route: 'POST /api/servers/:server_id/sites/:site_id/admin-password',
    summary: 'Give the WordPress administrator of a site a new password',
    details: 'Shown once and not stored.',
    answers: { 200: { about: 'The new password.', json: ShownAdmin } },
    errors: ASKS_AGENT,
  },
}
