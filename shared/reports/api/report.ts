import { strictObject, z } from 'zod'
import { body } from '#shared/kernel/api/body.ts'
import { Count, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Email, Id, Tag, TrueOrFalse } from '#shared/kernel/fields.ts'
import { DryRun } from '#shared/kernel/plan.ts'
import { Branding } from './branding.ts'

/** `off`: the site was not in use, such as while it was suspended or in the trash. */
export const SITE_STATES = ['up', 'degraded', 'down', 'unknown', 'off'] as const
export type SiteState = (typeof SITE_STATES)[number]

export const UPDATE_KINDS = ['core', 'plugin', 'theme'] as const
export type UpdateKind = (typeof UPDATE_KINDS)[number]

/** `unclear`: the SMTP server, or the dashboard, ended before the answer to the message. */
export const MAIL_STATES = ['sending', 'sent', 'failed', 'unclear'] as const
export type MailState = (typeof MAIL_STATES)[number]

export const MAX_RECIPIENTS = 10
/** The maximum of updates and of outages in a report; the figures count all of them. */
export const MAX_LISTED = 200

const MONTH = 'Must be a month such as 2026-10'
const Month = z.string(MONTH).regex(/^\d{4}-(0[1-9]|1[0-2])$/, MONTH)
const ShownMonth = z.string().meta({ examples: ['2026-10'] })

export const ReportQuery = z.object({
  month: Month.optional().describe('In UTC; default: the last complete month.'),
})

const since = Timestamp.nullable().describe(
  'When the records of this began, if that was after the begin of the month; null: they have all of it.',
)

const Uptime = strictObject({
  since,
  percent: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .describe(
      'The share of the measured time in which the site answered, rounded down to two decimals; null: nothing was measured.',
    ),
  outages: Count.describe('The number of outages.'),
  down_s: Count.describe('The time without an answer of the site, in seconds.'),
  unknown_s: Count.describe('The time that was not measured, in seconds; it counts as neither.'),
})

const Traffic = strictObject({
  since,
  days: Count.describe('The days that were counted.'),
  of_days: Count.describe('The days of the month so far.'),
  requests: Count,
  server_errors: Count.describe('Answers with a status of 500 or more.'),
  response_ms: Count.nullable().describe(
    'The mean time in which PHP made a page, in milliseconds; null: it made none.',
  ),
})

const Refused = strictObject({
  since,
  days: Count.describe('The days that were counted.'),
  of_days: Count.describe('The days of the month so far.'),
  requests: Count.describe(
    'Requests that the server refused itself: too many logins, and files that visitors never need.',
  ),
})

const Backups = strictObject({
  made: Count.describe('The complete backups that were made.'),
  proven: Count.describe('The backups that were restored into a hidden site and found complete.'),
  not_proven: Count.describe('The backups of which that failed.'),
})

const Updates = strictObject({
  since,
  until: Timestamp.nullable().describe(
    'When the versions were read last, if that was before the end of the report; else null.',
  ),
  made: Count,
})

export const ReportFigures = strictObject({
  uptime: Uptime.nullable().describe('Null, as each part: nothing was recorded.'),
  traffic: Traffic.nullable(),
  refused: Refused.nullable(),
  updates: Updates.nullable(),
  backups: Backups,
}).meta({ id: 'ReportFigures', description: 'What was recorded of a site in a month.' })
export type ReportFigures = z.infer<typeof ReportFigures>

export const ReportUpdate = strictObject({
  kind: z.enum(UPDATE_KINDS),
  name: z.string(),
  from: z.string(),
  to: z.string(),
  at: Timestamp.describe('When the new version was found.'),
}).meta({ id: 'ReportUpdate', description: 'A newer version of WordPress, a plugin or a theme.' })

const Outage = strictObject({
  from: Timestamp,
  to: Timestamp.nullable().describe('Null: it was not over at the end of the report.'),
}).meta({ id: 'ReportOutage', description: 'A time in which a site did not answer.' })
export type Outage = z.infer<typeof Outage>

export const SiteReport = strictObject({
  domain: z.string(),
  month: ShownMonth,
  first_month: ShownMonth.describe('The first month with a report.'),
  last_month: ShownMonth.describe('The month of today, which is not complete.'),
  from: Timestamp,
  to: Timestamp.describe('The end of the month, or now.'),
  complete: z.boolean().describe('The month is over.'),
  branding: Branding,
  figures: ReportFigures,
  previous: ReportFigures.nullable().describe(
    'The month before; null: the site was not on record, or its records are deleted.',
  ),
  updates: z.array(ReportUpdate).describe(`The last ${MAX_LISTED} at most, oldest first.`),
  outages: z.array(Outage).describe(`The longest ${MAX_LISTED} at most, oldest first.`),
  last_backup_at: Timestamp.nullable().describe('The last backup before the end of the report.'),
  last_proof: strictObject({ at: Timestamp, proven: z.boolean() })
    .nullable()
    .describe('The last restore of a backup for a test before the end of the report.'),
}).meta({ id: 'SiteReport', description: 'The report of a site for the client of an agency.' })
export type SiteReport = z.infer<typeof SiteReport>

const Recipient = Email.transform((email) => email.toLowerCase())

export const ChangeReportMail = body({
  enabled: TrueOrFalse.describe('Whether the report of each month is mailed when it is over.'),
  recipients: z
    .array(Recipient, 'Must be a list of e-mail addresses')
    .max(MAX_RECIPIENTS, `Must have at most ${MAX_RECIPIENTS} addresses`)
    .refine((all) => new Set(all).size === all.length, 'Must not have duplicates'),
})
  .refine(({ enabled, recipients }) => !enabled || recipients.length > 0, {
    path: ['recipients'],
    error: 'Must have an address while the report is mailed',
  })
  .meta({ id: 'ChangeReportMail' })

const ids = z.array(Id, 'Must be lists of ids').default([])
const Recipients = z
  .array(Recipient, 'Must be a list of e-mail addresses')
  .max(MAX_RECIPIENTS, `Must have at most ${MAX_RECIPIENTS} addresses`)
  .refine((all) => new Set(all).size === all.length, 'Must not have duplicates')
  .default([])

export const ChangeRecipients = body({
  targets: z
    .strictObject(
      {
        site_ids: ids,
        server_ids: ids.describe('Their sites.'),
        tag: Tag.optional().describe('The sites of the servers with this tag.'),
        client_id: Id.optional().describe('The sites that the account of this client sees.'),
      },
      'Must be an object of lists of ids',
    )
    .describe('All sites that any of them selects, and of which the caller may change the report.'),
  add: Recipients,
  remove: Recipients.describe('A report that is left without an address is turned off.'),
  enable: TrueOrFalse.default(false).describe('Whether reports that are off are turned on.'),
  dry_run: DryRun.describe('True: return what would be changed.'),
})
  .refine(({ add, remove, enable }) => enable || add.length + remove.length > 0, {
    path: ['add'],
    error: 'Add or remove an address, or turn the reports on',
  })
  .refine(({ add, remove }) => !remove.some((one) => add.includes(one)), {
    path: ['remove'],
    error: 'Must not have addresses that are added',
  })
  .meta({ id: 'ChangeRecipients' })
export type ChangeRecipients = z.output<typeof ChangeRecipients>

const ReportedSite = { site_id: RecordId, server_id: RecordId, domain: z.string() }

export const ChangedRecipients = strictObject({
  changed: z
    .array(strictObject({ ...ReportedSite, enabled: z.boolean(), recipients: z.array(z.string()) }))
    .describe('The sites that differ now, by domain.'),
  skipped: z
    .array(strictObject({ ...ReportedSite, reason: z.string() }))
    .describe('The sites that stay as they are, though the call would change them.'),
}).meta({ id: 'ChangedRecipients', description: 'Who gets which reports after a change of many.' })
export type ChangedRecipients = z.infer<typeof ChangedRecipients>

const SentReport = strictObject({
  month: ShownMonth,
  state: z
    .enum(MAIL_STATES)
    .describe(
      'unclear: the connection or the dashboard ended before the answer, so the report may have been sent; it is not sent again automatically.',
    ),
  at: Timestamp.describe('The start of the last attempt.'),
  attempts: Count,
  recipients: z.array(z.string()),
  refused: z.array(z.string()).describe('The recipients that the SMTP server refused.'),
  answer: z.string().describe('What the SMTP server answered, or why there is no answer.'),
}).meta({ id: 'SentReport', description: 'The last attempt to mail the report of a month.' })
export type SentReport = z.infer<typeof SentReport>

export const ReportMail = strictObject({
  enabled: z.boolean(),
  recipients: z.array(z.string()),
  next_at: Timestamp.nullable().describe('When the next report is mailed; null: it is not.'),
  can_send: z.boolean().describe('Whether the dashboard has an SMTP server (`SMTP_URL`).'),
  sent: z.array(SentReport).describe('The newest month first.'),
}).meta({ id: 'ReportMail', description: 'Who gets the report of a site, and what was sent.' })
export type ReportMail = z.infer<typeof ReportMail>

export const SendReport = body({
  month: Month.optional().describe('In UTC; default: the last complete month.'),
}).meta({ id: 'SendReport' })
