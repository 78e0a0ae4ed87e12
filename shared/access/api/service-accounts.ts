import { strictObject, z } from 'zod'
import { ApiToken, NEW_TOKEN } from '#shared/kernel/api/auth.ts'
import { body } from '#shared/kernel/api/body.ts'
import { RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { oneOf, required } from '#shared/kernel/fields.ts'
import { GroupRights, HeldPartGrant, NewParts, Secrets } from './accounts.ts'

/** The roles of service accounts: none of them decides what others may do. */
export const SERVICE_ROLES = ['viewer', 'operator', 'admin'] as const

const NAME_RULE = 'Must have 1 to 64 letters, digits, spaces, dots, hyphens and underscores'

/** A name that is no e-mail address, which the activity shows in the same place. */
export const PlainName = z
  .string(required('Name'))
  .trim()
  .min(1, NAME_RULE)
  .max(64, NAME_RULE)
  .refine((name) => /^[\p{L}\p{M}\p{N} ._-]*$/u.test(name), NAME_RULE)

const ServiceName = PlainName.describe('It stands in the activity with that of the token.')

const Role = oneOf(SERVICE_ROLES).nullable().describe('The role in the whole fleet; null: none.')

export const CreateServiceAccount = body({
  name: ServiceName,
  role: Role,
  secrets: Secrets.default(false),
  parts: NewParts.default([]),
}).meta({ id: 'CreateServiceAccount' })
export type CreateServiceAccount = z.output<typeof CreateServiceAccount>

export const ChangeServiceAccount = body({
  name: ServiceName.optional(),
  role: Role.optional(),
  secrets: Secrets.optional(),
  parts: NewParts.optional().describe('Replaces all of them. Absent: unchanged.'),
}).meta({ id: 'ChangeServiceAccount' })
export type ChangeServiceAccount = z.output<typeof ChangeServiceAccount>

export const CreateServiceToken = body(NEW_TOKEN).meta({ id: 'CreateServiceToken' })

export const ServiceAccount = strictObject({
  id: RecordId,
  name: z.string(),
  role: z.enum(SERVICE_ROLES).nullable().describe('The role in the whole fleet; null: none.'),
  secrets: z.boolean().describe('Whether it may see passwords and the contents of all sites.'),
  parts: z.array(HeldPartGrant).describe('What it may do on parts of the fleet, too.'),
  groups: z.array(GroupRights).describe('What it may do by its groups, too; by name.'),
  state: z
    .enum(['active', 'deactivated'])
    .describe('The tokens of a deactivated account are refused until it is activated again.'),
  created_at: Timestamp,
  tokens: z.array(ApiToken).describe('Its tokens, the newest first.'),
}).meta({
  id: 'ServiceAccount',
  description: 'An account of the fleet: it belongs to nobody, and only its API tokens use it.',
})
export type ServiceAccount = z.infer<typeof ServiceAccount>
