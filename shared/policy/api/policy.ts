import { strictObject, z } from 'zod'
import { body } from '#shared/kernel/api/body.ts'
import { RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Id, oneOf, Tag, TrueOrFalse } from '#shared/kernel/fields.ts'
import { RULE_SUBJECTS } from '#shared/policy/policy-rules.ts'

const MAX_LINE = 500

export const PolicyRule = strictObject({
  id: RecordId,
  user_id: RecordId,
  account: z.string().describe('The e-mail address of a person, or the name of a service account.'),
  can: z.boolean().describe('Whether the account can do it everywhere there, or nowhere there.'),
  what: z.string().describe('A type of operation, or a right.'),
  tag: z.string().nullable(),
  server_id: RecordId.nullable(),
  site_id: RecordId.nullable(),
  rule: z.string().describe('The rule as a line.'),
  holds: z.boolean().describe('Computed with each call.'),
  problem: z.string().nullable().describe('What is true instead; null: the rule holds.'),
  created_at: Timestamp,
}).meta({
  id: 'PolicyRule',
  description:
    'A rule of the access policy, about a tag, a server, a site, or with all three null, the whole fleet.',
})
export type PolicyRule = z.infer<typeof PolicyRule>

export const CreatePolicyRule = body({
  rule: z
    .string('Must be a string')
    .trim()
    .min(1, 'Must not be empty')
    .max(MAX_LINE, `Must have at most ${MAX_LINE} characters`)
    .optional()
    .describe('The whole rule as a line, in the place of the other fields.'),
  user_id: Id.optional().describe('The account.'),
  can: TrueOrFalse.optional(),
  what: oneOf(RULE_SUBJECTS).optional().describe('A type of operation, or a right.'),
  fleet: z.literal(true, 'Must be true').optional().describe('In the whole fleet.'),
  tag: Tag.optional().describe('On the servers with this tag, and their sites.'),
  server_id: Id.optional().describe('On this server and its sites.'),
  site_id: Id.optional().describe('On this site.'),
}).meta({ id: 'CreatePolicyRule' })
export type CreatePolicyRule = z.output<typeof CreatePolicyRule>
