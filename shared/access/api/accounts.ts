import { strictObject, z } from 'zod'
import { PersonName } from '#shared/access/site-access.ts'
import { NewPassword } from '#shared/kernel/api/auth.ts'
import { body } from '#shared/kernel/api/body.ts'
import { RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Email, Id, oneOf, Tag, TrueOrFalse } from '#shared/kernel/fields.ts'
import {
  CLIENT_GRANTS,
  GRANTS,
  PART_GRANTS,
  type PartGrant,
  RIGHTS_ON_OBJECTS,
  ROLES,
} from '#shared/kernel/rights.ts'
import { secretOf } from '#shared/kernel/secret.ts'

const MAX_PARTS = 100
const MAX_GROUPS = 100

const Role = oneOf(ROLES).describe(
  'viewer: reads. operator: everyday work on sites and servers, too. admin: also servers, settings, secrets and people. owner: also the accounts of others.',
)

export const Secrets = TrueOrFalse.describe(
  'Whether the account may see passwords and the contents of sites; the roles admin and owner always may.',
)

const NewPartGrant = z
  .strictObject({
    gives: oneOf(PART_GRANTS).describe(
      'client: the reduced view of sites, for a client of the agency; restore and login: the same, and to restore backups, or to log in to WordPress as the user with the address of the account. The others as in the whole fleet.',
    ),
    tag: Tag.optional().describe('On the servers with this tag, and their sites.'),
    server_id: Id.optional().describe('On this server and its sites.'),
    site_id: Id.optional().describe('On this site.'),
  })
  .refine(
    ({ tag, server_id, site_id }) =>
      [tag, server_id, site_id].filter((value) => value !== undefined).length === 1,
    { message: 'Must have exactly one of tag, server_id and site_id' },
  )
  .transform(
    ({ gives, tag = null, server_id = null, site_id = null }): PartGrant => ({
      gives,
      tag,
      server_id,
      site_id,
    }),
  )

export const NewParts = z
  .array(NewPartGrant, 'Must be an array')
  .max(MAX_PARTS, `Must have at most ${MAX_PARTS} entries`)
  .describe(
    'What the account may do on parts of the fleet; it adds to what it may do in the whole fleet.',
  )

export const HeldPartGrant = strictObject({
  gives: z.enum(PART_GRANTS),
  tag: z.string().nullable(),
  server_id: RecordId.nullable(),
  server: z.string().nullable().describe('The name of the server.'),
  site_id: RecordId.nullable(),
  site: z.string().nullable().describe('The domain of the site.'),
}).meta({
  id: 'HeldPartGrant',
  description:
    'A grant on the servers with a tag, on one server, or on one site; the others are null.',
})
export type HeldPartGrant = z.infer<typeof HeldPartGrant>

export const GroupRights = strictObject({
  id: RecordId,
  name: z.string(),
  role: z.enum(ROLES).nullable().describe('The role in the whole fleet; null: none.'),
  secrets: z.boolean().describe('Whether it gives passwords and the contents of all sites.'),
  parts: z.array(HeldPartGrant),
}).meta({ id: 'GroupRights', description: 'What a group gives its members.' })
export type GroupRights = z.infer<typeof GroupRights>

const GrantHere = strictObject({
  gives: z.enum([...GRANTS, ...CLIENT_GRANTS]),
  tag: z.string().nullable(),
  server_id: RecordId.nullable(),
  site_id: RecordId.nullable(),
  group: strictObject({ id: RecordId, name: z.string() })
    .nullable()
    .describe('The group that gives it; null: it is a grant of the account.'),
}).describe('A grant in the whole fleet (no tag, server or site), or on one of them.')
export type GrantHere = z.infer<typeof GrantHere>

export const WhoMay = strictObject({
  person_id: RecordId.nullable(),
  name: z.string(),
  email: z.string(),
  rights: z.array(z.enum(RIGHTS_ON_OBJECTS)),
  grants: z.array(GrantHere).describe('The grants that give the rights here.'),
}).meta({ id: 'WhoMay', description: 'What an active account may do on a server or a site.' })
export type WhoMay = z.infer<typeof WhoMay>

/** The states of an account; an invited person has none yet. */
const ACCOUNT_STATES = ['invited', 'active', 'deactivated'] as const

export const PersonAccount = strictObject({
  user_id: RecordId.nullable().describe('Null: the invitation is not accepted yet.'),
  email: z.string(),
  role: z.enum(ROLES).nullable().describe('The role in the whole fleet; null: none.'),
  secrets: z.boolean().describe('Whether it may see passwords and the contents of all sites.'),
  parts: z.array(HeldPartGrant).describe('What it may do on parts of the fleet, too.'),
  groups: z.array(GroupRights).describe('What it may do by its groups, too; by name.'),
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
  role: Role.nullable().describe(
    'The role in the whole fleet; null: none, only `parts` and what `groups` give.',
  ),
  secrets: Secrets.default(false),
  parts: NewParts.default([]),
  groups: z
    .array(Id, 'Must be an array')
    .max(MAX_GROUPS, `Must have at most ${MAX_GROUPS} entries`)
    .default([])
    .describe('The ids of the groups that the account becomes a member of.'),
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
  role: Role.nullable().optional().describe('Null: none. Absent: unchanged.'),
  secrets: Secrets.optional().describe('Absent: unchanged.'),
  parts: NewParts.optional().describe('Replaces all of them. Absent: unchanged.'),
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
  role: z.enum(ROLES).nullable(),
  secrets: z.boolean(),
  parts: z.array(HeldPartGrant),
  groups: z.array(GroupRights).describe('The groups that the account becomes a member of.'),
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
