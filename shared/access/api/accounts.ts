import { strictObject, z } from 'zod'
import { PersonName } from '#shared/access/site-access.ts'
import { NewPassword } from '#shared/kernel/api/auth.ts'
import { body } from '#shared/kernel/api/body.ts'
import { RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Email, oneOf, TrueOrFalse } from '#shared/kernel/fields.ts'
import { ROLES } from '#shared/kernel/rights.ts'
import { secretOf } from '#shared/kernel/secret.ts'

const Role = oneOf(ROLES).describe(
  'viewer: reads. operator: everyday work on sites and servers, too. admin: also servers, settings, secrets and people. owner: also the accounts of others.',
)

const Secrets = TrueOrFalse.describe(
  'Whether the account may see passwords and the contents of sites; the roles admin and owner always may.',
)

/** The states of an account; an invited person has none yet. */
const ACCOUNT_STATES = ['invited', 'active', 'deactivated'] as const

export const PersonAccount = strictObject({
  user_id: RecordId.nullable().describe('Null: the invitation is not accepted yet.'),
  email: z.string(),
  role: z.enum(ROLES).nullable().describe('Null: none, such as after a change of the records.'),
  secrets: z.boolean().describe('Whether it may see passwords and the contents of sites.'),
  state: z.enum(ACCOUNT_STATES),
  invited_until: Timestamp.nullable().describe('The end of the invitation; null: accepted.'),
  invited_by: z.string().nullable().describe('Who has sent the invitation; null: accepted.'),
  created_at: Timestamp,
  last_login_at: Timestamp.nullable().describe('Null: never.'),
}).meta({
  id: 'PersonAccount',
  description: 'The account of a person at this dashboard, or the invitation to it.',
})
export type PersonAccount = z.infer<typeof PersonAccount>

export const InvitePerson = body({
  email: Email.transform((text) => text.toLowerCase()),
  role: Role,
  secrets: Secrets.default(false),
}).meta({ id: 'InvitePerson' })
export type InvitePerson = z.output<typeof InvitePerson>

export const SentInvitation = strictObject({
  link: z
    .string()
    .describe(
      'Opens the page that accepts it, once. Without PUBLIC_URL it has no host: put the address of this dashboard before it.',
    ),
  expires_at: Timestamp,
  mailed: z.boolean().describe('Whether the mail server has accepted a message with the link.'),
  mail_problem: z.string().nullable().describe('Why the link was not mailed.'),
}).meta({
  id: 'SentInvitation',
  description: 'The link of an invitation, which no later answer has.',
})
export type SentInvitation = z.infer<typeof SentInvitation>

export const ChangeAccount = body({
  role: Role.optional().describe('Absent: unchanged.'),
  secrets: Secrets.optional().describe('Absent: unchanged.'),
}).meta({ id: 'ChangeAccount' })
export type ChangeAccount = z.output<typeof ChangeAccount>

/** A text of any form: whatever is no token of an open invitation is not found. */
const InvitationToken = secretOf(
  z.string('Must be a string').max(1024, 'Must have at most 1024 characters'),
)

export const ShowInvitation = body({ token: InvitationToken }).meta({ id: 'ShowInvitation' })

export const Invitation = strictObject({
  email: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  secrets: z.boolean(),
  invited_by: z.string().describe('The e-mail address of the account that has sent it.'),
  expires_at: Timestamp,
}).meta({ id: 'Invitation', description: 'An open invitation, for whoever has its token.' })
export type Invitation = z.infer<typeof Invitation>

export const AcceptInvitation = body({
  token: InvitationToken,
  name: PersonName,
  password: NewPassword,
}).meta({ id: 'AcceptInvitation' })
export type AcceptInvitation = z.output<typeof AcceptInvitation>

export const AcceptedInvitation = strictObject({
  email: z.string().describe('The address to log in with.'),
}).meta({ id: 'AcceptedInvitation', description: 'The account that an invitation has become.' })
