import { strictObject, z } from 'zod'
import { body } from '#shared/kernel/api/body.ts'
import { RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Email } from '#shared/kernel/fields.ts'
import { DryRun } from '#shared/kernel/plan.ts'
import { MailChange, MailRelay, MailRules, RelayPlace, SHOWN_COUNTS } from '#shared/mail/mail.ts'

/** The stored settings, without the password. */
export const StoredMail = MailRules.extend({ relay: MailRelay.nullable() })
export type StoredMail = z.infer<typeof StoredMail>

export const SetMail = body({ ...MailChange.shape, dry_run: DryRun }).meta({ id: 'SetMail' })

export const TestMail = body({
  to: Email.describe('The recipient of the test message.'),
  dry_run: DryRun,
}).meta({ id: 'TestMail' })

export const MailSettingView = strictObject({
  ...MailRules.shape,
  from_address: z.string().nullable(),
  relay: z
    .strictObject({
      ...RelayPlace.shape,
      host: z.string(),
      user: z.string(),
      has_password: z.boolean(),
    })
    .nullable(),
  updated_at: Timestamp.nullable().describe('Null: never set.'),
}).meta({ id: 'MailSettingView', description: 'The mail settings, without the password.' })
export type MailSettingView = z.infer<typeof MailSettingView>

export const SiteMailCounts = strictObject({
  ...SHOWN_COUNTS,
  site_id: RecordId.nullable(),
  domain: z.string(),
}).meta({ id: 'SiteMailCounts', description: 'The delivery statistics of a site.' })
export type SiteMailCounts = z.infer<typeof SiteMailCounts>

const shared = {
  setting: MailSettingView,
  sends: z.boolean().describe('False: there is no relay, or mail is off; mail is not sent.'),
  running: z.boolean().nullable().describe('Whether the queue runs; null: the agent is offline.'),
}

export const ServerMailView = strictObject({
  ...shared,
  sites: z
    .array(SiteMailCounts)
    .nullable()
    .describe('Sites that sent or tried to send in the last 24 hours; null as above.'),
}).meta({ id: 'ServerMailView', description: 'How the sites of a server send mail.' })
export type ServerMailView = z.infer<typeof ServerMailView>

export const SiteMailView = strictObject({
  ...shared,
  server: MailSettingView.describe('The settings of the server, for values that are null.'),
  counts: SiteMailCounts.nullable().describe('Null: the agent is offline, or does not report it.'),
}).meta({ id: 'SiteMailView', description: 'How a site sends mail.' })
export type SiteMailView = z.infer<typeof SiteMailView>
