import { z } from 'zod'
import { ASKS_AGENT, type Descriptions, streamOf } from '#dashboard/http/describe.ts'
import { eventsOf } from '#shared/api/events.ts'
import { ServerMailView, SetMail, SiteMailView, TestMail } from '#shared/api/mail.ts'
import { PlanAnswer } from '#shared/plan.ts'

const applied = {
  ...streamOf('The work as it goes, or its plan.', eventsOf('mail.apply')),
  json: PlanAnswer,
}
const tested = {
  ...streamOf('What both sides say, or the plan.', eventsOf('mail.check')),
  json: PlanAnswer,
}
const TEST =
  'Through the relay that is set. It fails with the answer of the relay when that does not take the message.'

export const serverMailApi: Descriptions = {
  getServerMail: {
    route: 'GET /api/servers/:server_id/mail',
    summary: 'Show how the sites of a server send mail',
    answers: {
      200: {
        about: 'The setting, and what the queue of the server reports now.',
        json: z.strictObject({ mail: ServerMailView }),
      },
    },
  },
  setServerMail: {
    route: 'PUT /api/servers/:server_id/mail',
    summary: 'Set the relay that takes the mail of the sites of a server',
    body: SetMail,
    answers: { 200: applied },
    errors: ASKS_AGENT,
  },
  testServerMail: {
    route: 'POST /api/servers/:server_id/mail/test',
    summary: 'Send a test message through the relay of a server',
    details: TEST,
    body: TestMail,
    answers: { 200: tested },
    errors: ASKS_AGENT,
  },
}

export const siteMailApi: Descriptions = {
  getSiteMail: {
    route: 'GET /api/servers/:server_id/sites/:site_id/mail',
    summary: 'Show how a site sends mail',
    answers: {
      200: {
        about: 'Its own setting, that of its server, and what the queue reports now.',
        json: z.strictObject({ mail: SiteMailView }),
      },
    },
    errors: ['conflict'],
  },
  setSiteMail: {
    route: 'PUT /api/servers/:server_id/sites/:site_id/mail',
    summary: 'Set what holds for the mail of one site',
    details: 'What is null holds as the server has it.',
    body: SetMail,
    answers: { 200: applied },
    errors: ASKS_AGENT,
  },
  testSiteMail: {
    route: 'POST /api/servers/:server_id/sites/:site_id/mail/test',
    summary: 'Send a test message as a site',
    details: TEST,
    body: TestMail,
    answers: { 200: tested },
    errors: ASKS_AGENT,
  },
}
