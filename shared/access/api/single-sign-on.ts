import { strictObject, z } from 'zod'
import { Code, User } from '#shared/kernel/api/auth.ts'
import { body } from '#shared/kernel/api/body.ts'
import { Count, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { required, TrueOrFalse } from '#shared/kernel/fields.ts'
import { ownAddress } from '#shared/kernel/own-address.ts'
import { ROLES } from '#shared/kernel/rights.ts'
import { secretOf } from '#shared/kernel/secret.ts'

/** The number of identity providers of a dashboard. */
export const MAX_PROVIDERS = 5
const MAX_ROLES = 20
const CLAIM_ROLES = ROLES.filter((role) => role !== 'owner')

const line = (label: string, max: number) =>
  z
    .string(required(label))
    .trim()
    .min(1, `Must have 1 to ${max} characters`)
    .max(max, `Must have 1 to ${max} characters`)
    .refine((text) => !/\p{C}/u.test(text), 'Must not contain control characters')

const KEY_RULE = 'Must have 1 to 32 lower-case letters, digits and hyphens'
const Key = z
  .string(required('Key', KEY_RULE))
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, KEY_RULE)
  .describe('The end of the redirect address, `<PUBLIC_URL>/sso/<key>`; it stays.')

const ISSUER_RULE =
  'Must be an https: address without a query, or http: on localhost, 127.0.0.1 or [::1]'
const Issuer = z
  .string(required('Issuer', ISSUER_RULE))
  .trim()
  .max(500, 'Must have at most 500 characters')
  .regex(
    /^(https:\/\/[a-z0-9.-]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\]))(:\d{1,5})?(\/[A-Za-z0-9._~/-]*)?$/,
    ISSUER_RULE,
  )
  .refine((value) => URL.canParse(value), ISSUER_RULE)
  .describe('The address that the provider calls itself, to the character; it stays.')

const ClientSecret = secretOf(
  z
    .string(required('Client secret'))
    .min(1, 'Client secret is required')
    .max(1024, 'Must have at most 1024 characters'),
).describe('It is stored encrypted, and never shown.')

const SCOPE_RULE = 'Must have openid, and words of printable ASCII with single blanks'
const Scope = z
  .string(SCOPE_RULE)
  .trim()
  .max(200, 'Must have at most 200 characters')
  .regex(/^(?:[\x21\x23-\x5b\x5d-\x7e]+ )*openid(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, SCOPE_RULE)
  .describe('What the provider is asked for.')

/** The role that an account gets whose claim has this value, or has it in its list. */
const ClaimRole = z.strictObject(
  {
    value: line('Value', 200),
    role: z.enum(CLAIM_ROLES, `Must be one of ${CLAIM_ROLES.join(', ')}`),
  },
  'Must be a value and a role',
)
export type ClaimRole = z.infer<typeof ClaimRole>
export const ClaimRoles = z
  .array(ClaimRole, 'Must be a list of values and roles')
  .max(MAX_ROLES, `Must have at most ${MAX_ROLES} values`)

const fields = {
  name: line('Name', 64).describe('What the button of the login page says.'),
  client_id: line('Client ID', 256),
  client_secret: ClientSecret,
  scope: Scope,
  own_factor: TrueOrFalse.describe(
    'Whether the provider asks for a second factor itself: then the dashboard does not.',
  ),
  claim: line('Claim', 100)
    .nullable()
    .describe(
      'The claim whose values give roles: whoever has one of `roles` gets an account. Null: nobody gets one.',
    ),
  roles: ClaimRoles.describe('The values of the claim; the highest role of several counts.'),
}

export const CreateIdentityProvider = body({
  ...fields,
  key: Key,
  issuer: Issuer,
  scope: Scope.default('openid email profile'),
  own_factor: fields.own_factor.default(false),
  claim: fields.claim.default(null),
  roles: fields.roles.default([]),
}).meta({ id: 'CreateIdentityProvider' })
export type CreateIdentityProvider = z.output<typeof CreateIdentityProvider>

export const UpdateIdentityProvider = body({
  name: fields.name.optional(),
  client_id: fields.client_id.optional(),
  client_secret: fields.client_secret.optional(),
  scope: fields.scope.optional(),
  is_enabled: TrueOrFalse.optional().describe('Whether it can be used.'),
  own_factor: fields.own_factor.optional(),
  claim: fields.claim.optional(),
  roles: fields.roles.optional(),
}).meta({ id: 'UpdateIdentityProvider' })
export type UpdateIdentityProvider = z.output<typeof UpdateIdentityProvider>

export const IdentityProvider = strictObject({
  key: z.string(),
  name: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  scope: z.string(),
  is_enabled: z.boolean(),
  own_factor: z.boolean(),
  claim: z.string().nullable(),
  roles: z.array(strictObject({ value: z.string(), role: z.enum(CLAIM_ROLES) })),
  redirect_uri: z
    .string()
    .nullable()
    .describe('The address to register at the provider; null without PUBLIC_URL.'),
  accounts: Count.describe('The accounts that have an identity at it.'),
  only_way: Count.describe('Those of them that can log in in no other way.'),
  created_at: Timestamp,
}).meta({
  id: 'IdentityProvider',
  description: 'A provider of OpenID Connect, without its secret.',
})
export type IdentityProvider = z.infer<typeof IdentityProvider>

export const ProviderTest = strictObject({
  problems: z.array(z.string()).describe('What is wrong; empty: a login can work.'),
}).meta({ id: 'ProviderTest', description: 'What the discovery document of a provider shows.' })

export const LoginProvider = strictObject({ key: z.string(), name: z.string() }).meta({
  id: 'LoginProvider',
  description: 'A provider at which a login can begin.',
})
export type LoginProvider = z.infer<typeof LoginProvider>

const Provider = z
  .string(required('Provider'))
  .max(32, 'Must be the key of a provider')
  .describe('The key of the provider.')

export const StartSso = body({
  provider: Provider,
  to: z
    .string('Must be a string')
    .max(2000, 'Must have at most 2000 characters')
    .refine((to) => ownAddress(to) !== undefined, 'Must be the path of a page of this dashboard')
    .default('/')
    .describe('The page that is opened after the login.'),
  invitation: secretOf(z.string('Must be a string').max(1024, 'Must have at most 1024 characters'))
    .optional()
    .describe('The token of an invitation, which the login accepts.'),
}).meta({ id: 'StartSso' })
export type StartSso = z.output<typeof StartSso>

export const StartLink = body({ provider: Provider }).meta({ id: 'StartLink' })

export const SsoRedirect = strictObject({
  url: z.string().describe('The address of the provider, which the browser opens.'),
}).meta({ id: 'SsoRedirect', description: 'The begin of a login at a provider.' })

export const FinishSso = body({
  provider: Provider,
  query: z
    .string(required('Query'))
    .max(12_000, 'Must have at most 12000 characters')
    .describe('The query with which the provider has opened the redirect address.'),
}).meta({ id: 'FinishSso' })

export const FinishSsoCode = body({
  state: z.string(required('State')).max(256, 'Must have at most 256 characters'),
  code: Code,
}).meta({ id: 'FinishSsoCode' })

export const FinishedSso = strictObject({
  user: User,
  purpose: z.enum(['login', 'link']).describe('link: an identity was added to the account.'),
  to: z.string().describe('The page to open.'),
}).meta({ id: 'FinishedSso', description: 'A login at a provider that has succeeded.' })
export type FinishedSso = z.infer<typeof FinishedSso>

export const Identity = strictObject({
  id: RecordId,
  provider: z.string().nullable().describe('The name of the provider; null: it was removed.'),
  label: z.string().describe('The name at the provider when it was linked.'),
  linked_at: Timestamp,
}).meta({ id: 'Identity', description: 'Who the caller is at a provider.' })
export type Identity = z.infer<typeof Identity>
