import { shows } from '#dashboard/http/answers.ts'
import { routesWith } from '#dashboard/http/route.ts'
import { DashboardBackup } from '#shared/api/dashboard-backup.ts'
import { type RequestDeps, requestOffSite, showOffSite } from './request.ts'

const route = routesWith<RequestDeps>()

/** The backups of the dashboard's own records in the default target. */
export const offSiteRoutes = {
  showDashboardBackup: route({
    at: 'GET /api/fleet/dashboard-backup',
    summary: 'Show the backups of the dashboard in the backup target',
    right: 'read',
    answers: shows('The last attempt and its result.', { backup: DashboardBackup }),
    run: async ({ deps }) => ({ backup: await showOffSite(deps) }),
  }),
  requestDashboardBackup: route({
    at: 'POST /api/fleet/dashboard-backup',
    summary: 'Back up the dashboard now',
    details:
      'In the default target, as it happens each day. It starts within 5 seconds and has ended when `requested_at` is null again. 409 says what is missing.',
    right: 'admin',
    answers: { 202: { about: 'Requested.', json: DashboardBackup } },
    errors: ['conflict'],
    run: ({ deps, caller }) => requestOffSite(deps, caller.user.id),
  }),
}
