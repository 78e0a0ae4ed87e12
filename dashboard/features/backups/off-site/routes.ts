import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { DashboardBackup, SetDashboardTarget } from '#shared/recovery/api/dashboard-backup.ts'
import { type RequestDeps, requestOffSite, showOffSite } from './request.ts'
import { changeOwnTarget, type OwnTargetDeps, removeOwnTarget } from './target.ts'

const route = routesWith<RequestDeps & OwnTargetDeps>()

export const offSiteRoutes = {
  showDashboardBackup: route({
    at: 'GET /api/fleet/dashboard-backup',
    summary: 'Show the backups of the dashboard in its own target',
    right: 'read',
    answers: shows('The target, and the last attempt with its result.', {
      backup: DashboardBackup,
    }),
    run: async ({ deps }) => ({ backup: await showOffSite(deps) }),
  }),
  requestDashboardBackup: route({
    at: 'POST /api/fleet/dashboard-backup',
    summary: 'Back up the dashboard now',
    details:
      'In its own target, as it happens each day. It starts within 5 seconds and has ended when `requested_at` is null again. 409 says what is missing.',
    right: 'admin',
    answers: { 202: { about: 'Requested.', json: DashboardBackup } },
    errors: ['conflict'],
    run: ({ deps, caller }) => requestOffSite(deps, caller.user.id, { only_check: false }),
  }),
  checkDashboardTarget: route({
    at: 'POST /api/fleet/dashboard-backup/check',
    summary: 'Check the target of the dashboard',
    details:
      'The dashboard itself opens the storage, creates the repository if it is missing, tries to read it with the accounts of the targets of sites, which must fail, and writes, reads and removes a short text. It starts within 5 seconds and has ended when `requested_at` is null again. 409 says what is missing.',
    right: 'admin',
    answers: { 202: { about: 'Requested.', json: DashboardBackup } },
    errors: ['conflict'],
    run: ({ deps, caller }) => requestOffSite(deps, caller.user.id, { only_check: true }),
  }),
  setDashboardTarget: route({
    at: 'PUT /api/fleet/dashboard-backup/target',
    summary: 'Set the target of the dashboard',
    details:
      'It is never sent to a server. 422 if a target of sites has the same account. It is checked at once.',
    right: 'admin',
    needs_session: true,
    needs_confirmation: true,
    body: SetDashboardTarget,
    answers: { 200: { about: 'Set, and about to be checked.', json: DashboardBackup } },
    errors: ['conflict'],
    run: async ({ deps, body, caller }) => {
      await changeOwnTarget(deps, body, caller.user.id)
      return showOffSite(deps)
    },
  }),
  removeDashboardTarget: route({
    at: 'DELETE /api/fleet/dashboard-backup/target',
    summary: 'Remove the target of the dashboard',
    details: 'The storage is not touched, and no backup of the dashboard is made any more.',
    right: 'admin',
    needs_session: true,
    needs_confirmation: true,
    answers: { 204: { about: 'Removed.' } },
    errors: ['conflict', 'not_found'],
    run: async ({ deps, caller }) => {
      await removeOwnTarget(deps, caller.user.id)
    },
  }),
}
