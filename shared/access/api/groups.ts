import { strictObject, z } from 'zod'
import { body } from '#shared/kernel/api/body.ts'
import { RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Id, oneOf } from '#shared/kernel/fields.ts'
import { HeldPartGrant, NewParts, Secrets } from './accounts.ts'
import { PlainName, SERVICE_ROLES } from './service-accounts.ts'

const MAX_MEMBERS = 500

const Role = oneOf(SERVICE_ROLES)
  .nullable()
  .describe('The role in the whole fleet; null: none. No group makes an owner.')

const Members = z
  .array(Id, 'Must be an array')
  .max(MAX_MEMBERS, `Must have at most ${MAX_MEMBERS} entries`)
  .describe('The ids of the accounts (`user_id`), of people and service accounts.')

export const CreateGroup = body({
  name: PlainName,
  role: Role.default(null),
  secrets: Secrets.default(false),
  parts: NewParts.default([]),
  members: Members.default([]),
}).meta({ id: 'CreateGroup' })
export type CreateGroup = z.output<typeof CreateGroup>

export const ChangeGroup = body({
  name: PlainName.optional(),
  role: Role.optional(),
  secrets: Secrets.optional(),
  parts: NewParts.optional().describe('Replaces all of them. Absent: unchanged.'),
  members: Members.optional().describe('Replaces all of them. Absent: unchanged.'),
}).meta({ id: 'ChangeGroup' })
export type ChangeGroup = z.output<typeof ChangeGroup>

const GroupMember = strictObject({
  user_id: RecordId,
  person_id: RecordId.nullable().describe('Null: a service account.'),
  name: z.string(),
}).meta({ id: 'GroupMember', description: 'An account that has the grants of a group.' })

export const Group = strictObject({
  id: RecordId,
  name: z.string(),
  role: z.enum(SERVICE_ROLES).nullable().describe('The role in the whole fleet; null: none.'),
  secrets: z.boolean().describe('Whether its members see passwords and contents of all sites.'),
  parts: z.array(HeldPartGrant).describe('What its members may do on parts of the fleet, too.'),
  members: z.array(GroupMember).describe('By name.'),
  made_at: Timestamp,
}).meta({
  id: 'Group',
  description: 'Accounts with the same grants, which add to the own ones of each member.',
})
export type Group = z.infer<typeof Group>
