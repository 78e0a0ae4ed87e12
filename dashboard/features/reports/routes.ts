import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite } from '#dashboard/kernel/targets/load-site.ts'
import { NotificationTest } from '#shared/alerts/api/notifications.ts'
import {
  Branding,
  ChangeBranding,
  ChangeLogo,
  LOGO_TYPES,
  LogoQuery,
} from '#shared/reports/api/branding.ts'
import {
  ChangedRecipients,
  ChangeRecipients,
  ChangeReportMail,
  ReportMail,
  ReportQuery,
  SendReport,
  SiteReport,
} from '#shared/reports/api/report.ts'
import { changeBranding, changeLogo, deleteLogo, readBranding, sendLogo } from './branding.ts'
import { changeRecipients } from './change-recipients.ts'
import { makeReport, monthFor } from './make-report.ts'
import { changeReportMail, completeMonth, readReportMail } from './report-mail.ts'
import { type SendDeps, sendNow, sendTest } from './send-report.ts'

const route = routesWith<SendDeps>()
const brandingRoute = routesWith<Pick<CommonDeps, 'db' | 'clock'>>()

const mailAnswer = shows('Who gets it, and what was sent.', { mail: ReportMail })

export const reportRoutes = {
  getSiteReport: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/report',
    summary: 'Show the report of a site for a month',
    details:
      'For the client of an agency: uptime, updates, backups, refused requests and speed, each only as far as it was recorded. Of the current month and of twelve months before.',
    right: 'read',
    loads: loadManagedSite,
    query: ReportQuery,
    answers: shows('The report.', { report: SiteReport }),
    errors: ['conflict'],
    run: async ({ deps: { db, clock }, loaded: { site }, query }) => ({
      report: await makeReport(db, site, query.month, clock.now()),
    }),
  }),
  getReportMail: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/report/mail',
    summary: 'Show who gets the report of a site by mail',
    right: 'read',
    loads: loadManagedSite,
    answers: mailAnswer,
    errors: ['conflict'],
    run: async ({ deps, loaded: { site } }) => ({ mail: await readReportMail(deps, site) }),
  }),
  changeReportMail: route({
    at: 'PUT /api/servers/:server_id/sites/:site_id/report/mail',
    summary: 'Change who gets the report of a site by mail',
    details:
      'The setting `report_time` has the time of each month. A report that was turned on after that time begins with the next month.',
    right: 'operate',
    loads: loadManagedSite,
    body: ChangeReportMail,
    answers: mailAnswer,
    errors: ['conflict'],
    run: async ({ deps, loaded: { site }, body, caller }) => ({
      mail: await changeReportMail(deps, site, body, caller.user.id),
    }),
  }),
  testSiteReport: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/report/test',
    summary: 'Send the report of a site to yourself',
    details:
      '200 with the answer of the SMTP server, whether it accepts the message or not; 409 without SMTP_URL.',
    right: 'operate',
    loads: loadManagedSite,
    body: SendReport,
    answers: { 200: { about: 'The answer of the SMTP server.', json: NotificationTest } },
    errors: ['conflict'],
    waits: true,
    run: async ({ deps, loaded: { site }, body, caller }) => {
      const month = monthFor(site, body.month, deps.clock.now())
      const { id: user_id, email: to } = caller.user
      return sendTest(deps, site, { month, to, user_id })
    },
  }),
  sendSiteReport: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/report/send',
    summary: 'Send the report of a site to its recipients now',
    details:
      'Of a month that is over, also if it was sent before. 200 with what was sent, whatever the outcome; 409 without SMTP_URL or recipients, and while it is being sent.',
    right: 'operate',
    loads: loadManagedSite,
    body: SendReport,
    answers: mailAnswer,
    errors: ['conflict'],
    waits: true,
    run: async ({ deps, loaded: { site }, body }) => {
      await sendNow(deps, site, completeMonth(site, body.month, deps.clock.now()))
      return { mail: await readReportMail(deps, site) }
    },
  }),
}

export const recipientRoutes = {
  changeRecipients: routesWith<MarkedRecords & Pick<CommonDeps, 'db' | 'clock'>>()({
    at: 'PATCH /api/fleet/reports/recipients',
    summary: 'Change who gets the reports of many sites',
    details:
      'Discovered and deleted sites and copies for tests are left out. A site that would have more addresses than a report can have stays as it is, and is in `skipped`. Each change is an entry of the activity.',
    right: 'operate',
    where: 'anywhere',
    body: ChangeRecipients,
    answers: { 200: { about: 'The changed sites.', json: ChangedRecipients } },
    errors: ['conflict'],
    waits: true,
    run: ({ deps, body, visible, caller }) =>
      changeRecipients(deps, body, { visible, user_id: caller.user.id }),
  }),
}

const brandingAnswer = shows('The look of the reports.', { branding: Branding })
const [FIRST_TYPE, ...OTHER_TYPES] = LOGO_TYPES

export const brandingRoutes = {
  getBranding: brandingRoute({
    at: 'GET /api/fleet/branding',
    summary: 'Show the look of the reports for clients',
    right: 'read',
    where: 'anywhere',
    answers: brandingAnswer,
    run: async ({ deps: { db } }) => ({ branding: await readBranding(db) }),
  }),
  changeBranding: brandingRoute({
    at: 'PUT /api/fleet/branding',
    summary: 'Change the look of the reports for clients',
    right: 'admin',
    body: ChangeBranding,
    answers: brandingAnswer,
    run: async ({ deps, body, caller }) => ({
      branding: await changeBranding(deps, body, caller.user.id),
    }),
  }),
  getLogo: brandingRoute({
    at: 'GET /api/fleet/branding/logo',
    summary: 'Read the logo of the reports',
    right: 'client',
    where: 'anywhere',
    query: LogoQuery,
    answers: { 200: { about: 'The image.', file: FIRST_TYPE, other_files: OTHER_TYPES } },
    errors: ['not_found'],
    run: ({ deps: { db } }) => sendLogo(db),
  }),
  changeLogo: brandingRoute({
    at: 'PUT /api/fleet/branding/logo',
    summary: 'Change the logo of the reports',
    details: 'A PNG, JPEG or WebP of at most 256 KiB, 16 to 2000 pixels wide and high.',
    right: 'admin',
    body: ChangeLogo,
    answers: brandingAnswer,
    run: async ({ deps, body, caller }) => ({
      branding: await changeLogo(deps, body.image, caller.user.id),
    }),
  }),
  deleteLogo: brandingRoute({
    at: 'DELETE /api/fleet/branding/logo',
    summary: 'Remove the logo of the reports',
    right: 'admin',
    answers: brandingAnswer,
    run: async ({ deps, caller }) => ({ branding: await deleteLogo(deps, caller.user.id) }),
  }),
}
