import { type StreamDeps, streamed } from '#dashboard/kernel/engine/operation-answers.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import {
  loadManagedSite,
  loadServer,
  loadSite,
  refuseFound,
  serverTarget,
} from '#dashboard/kernel/targets/load-site.ts'
import { ServerMailView, SetMail, SiteMailView, TestMail } from '#shared/mail/api/mail.ts'
import { showServerMail, showSiteMail } from './show-mail.ts'

const route = routesWith<StreamDeps & { public_url: string | undefined }>()

const TEST_DETAILS =
  'Through the stored relay. It fails with the answer of the relay if that refuses the message.'
const APPLIED = streamed('mail.apply')
const TEST_ANSWER = 'The dialogue, or the plan.'

export const serverMailRoutes = {
  getServerMail: route({
    at: 'GET /api/servers/:server_id/mail',
    summary: 'Show how the sites of a server send mail',
    right: 'read',
    loads: loadServer,
    answers: shows('The setting, and what the queue of the server reports now.', {
      mail: ServerMailView,
    }),
    run: async ({ deps, loaded }) => ({ mail: await showServerMail(deps, loaded) }),
  }),
  setServerMail: route({
    at: 'PUT /api/servers/:server_id/mail',
    summary: 'Set the mail relay of a server',
    loads: serverTarget,
    body: SetMail,
    ...APPLIED,
    right: 'admin',
    needs_session: true,
    needs_confirmation: true,
  }),
  testServerMail: route({
    at: 'POST /api/servers/:server_id/mail/test',
    summary: 'Send a test message through the relay of a server',
    details: TEST_DETAILS,
    loads: serverTarget,
    body: TestMail,
    ...streamed('mail.check', TEST_ANSWER),
  }),
}

export const siteMailRoutes = {
  getSiteMail: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/mail',
    summary: 'Show how a site sends mail',
    right: 'read',
    loads: loadSite,
    answers: shows('Its own setting, that of its server, and what the queue reports now.', {
      mail: SiteMailView,
    }),
    errors: ['conflict'],
    run: async ({ deps, loaded: { server, site } }) => {
      refuseFound(site)
      return { mail: await showSiteMail(deps, server, site) }
    },
  }),
  setSiteMail: route({
    at: 'PUT /api/servers/:server_id/sites/:site_id/mail',
    summary: 'Set the mail settings of a site',
    details: 'Null uses the setting of the server.',
    loads: loadManagedSite,
    body: SetMail,
    ...APPLIED,
    right: 'admin',
    needs_session: true,
    needs_confirmation: true,
  }),
  testSiteMail: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/mail/test',
    summary: 'Send a test message as a site',
    details: TEST_DETAILS,
    loads: loadManagedSite,
    body: TestMail,
    ...streamed('mail.check', TEST_ANSWER),
  }),
}
