import { strictObject, z } from 'zod'
import { CLOUDFLARE_TOKEN, RECORD_TYPES, ReplacedRecords } from '#shared/domains/dns-choice.ts'
import { body } from '#shared/kernel/api/body.ts'
import { RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { ReportedDomain } from '#shared/kernel/fields.ts'
import { DryRun } from '#shared/kernel/plan.ts'

const Name = z
  .string({ error: ({ input }) => (input === undefined ? 'Name is required' : 'Must be a string') })
  .trim()
  .min(1, 'Must have 1 to 64 characters')
  .max(64, 'Must have 1 to 64 characters')

const Token = z
  .string({
    error: ({ input }) => (input === undefined ? 'Token is required' : 'Must be a string'),
  })
  .regex(CLOUDFLARE_TOKEN, 'Must be an API token of Cloudflare')
  .describe(
    'An API token with Zone: Read, DNS: Edit and, for purges, Cache Purge: Purge. It is stored encrypted, and never shown.',
  )

const API_RULE = 'Must be an https: address, or http: on 127.0.0.1'

const Api = z
  .string('Must be a string')
  .trim()
  .max(500, 'Must have at most 500 characters')
  .regex(
    /^(https:\/\/[a-z0-9.-]+|http:\/\/127\.0\.0\.1)(:\d{1,5})?(\/[A-Za-z0-9._~/-]*)?$/,
    API_RULE,
  )
  .refine((value) => URL.canParse(value), API_RULE)
  .transform((value) => value.replace(/\/$/, ''))

export const CreateDnsAccount = body({
  name: Name,
  token: Token,
  api: Api.default('https://api.cloudflare.com/client/v4').describe('The address of the API.'),
}).meta({ id: 'CreateDnsAccount' })

export const UpdateDnsAccount = body({
  name: Name.optional(),
  token: Token.optional(),
}).meta({ id: 'UpdateDnsAccount' })

export const DnsAccountView = strictObject({
  id: RecordId,
  name: z.string(),
  api: z.string(),
  zones: z.array(z.string()).describe('The zones to which the token had access at its last check.'),
  checked_at: Timestamp,
  created_at: Timestamp,
}).meta({ id: 'DnsAccount', description: 'An account at Cloudflare, without its token.' })
export type DnsAccountView = z.infer<typeof DnsAccountView>

export const SetDnsRecords = body({
  name: z
    .string({ error: 'Name is required' })
    .max(253, 'Must be a name of the site')
    .describe('A name of the site.'),
  replace: ReplacedRecords,
  dry_run: DryRun,
}).meta({ id: 'SetDnsRecords' })

export const DnsRecordPlan = strictObject({
  name: ReportedDomain,
  zone: z.string().describe('The zone at Cloudflare.'),
  account: z.string(),
  records: z.array(
    strictObject({
      action: z.enum(['keep', 'create', 'remove']),
      type: z.enum(RECORD_TYPES),
      content: z.string().max(500),
      proxied: z.boolean().describe('Cloudflare answers for the name, and hides the server.'),
    }),
  ),
}).meta({ id: 'DnsRecordPlan', description: 'The A, AAAA and CNAME records of a name.' })
export type DnsRecordPlan = z.infer<typeof DnsRecordPlan>

const MAX_NAMES = 100

export const PlanDnsRecords = body({
  names: z
    .array(z.string('Must be a name').max(253, 'Must be a name'), 'Must be a list of names')
    .min(1, 'Must have at least one name')
    .max(MAX_NAMES, `Must have at most ${MAX_NAMES} names`),
}).meta({ id: 'PlanDnsRecords' })

export const DnsNamePlan = DnsRecordPlan.extend({
  problem: z.string().describe('Why the records cannot be read or changed; empty: they can be.'),
}).meta({ id: 'DnsNamePlan', description: 'The records of a name in a zone of an account.' })
export type DnsNamePlan = z.infer<typeof DnsNamePlan>
