import { strictObject, z } from 'zod'
import { Email, Id, oneOf, required, Tag, TrueOrFalse } from '#shared/kernel/fields.ts'
import { canonicalNetwork } from '#shared/kernel/networks.ts'
import { type Part, RIGHTS, ROLES } from '#shared/kernel/rights.ts'
import { secretOf } from '#shared/kernel/secret.ts'
import { TOKEN_SCOPES } from '#shared/kernel/values.ts'
import { body, openBody } from './body.ts'
import { Count, RecordId, Timestamp } from './parts.ts'
import { PasskeyProof } from './passkeys.ts'

/** The minimum length of a new password. */
export const MIN_PASSWORD = 12

const text = (label: string) => z.string(required(label))

/** The current password of the caller, for actions that a stolen session must not allow. */
const current = (label: string) =>
  secretOf(
    text(label).min(1, `${label} is required`).max(1024, 'Must have at most 1024 characters'),
  )

export const Code = secretOf(text('Code').max(64, 'Must have at most 64 characters')).describe(
  'A code of the authenticator app, or a recovery code; each is valid once.',
)
/** The code of the second factor, which an account without one ignores. */
const code = Code.exactOptional()

/** An unknown address means wrong credentials, not an invalid field. A password is never trimmed. */
export const Login = openBody({
  email: text('E-mail address')
    .trim()
    .min(1, 'E-mail address is required')
    .max(254, 'Must have at most 254 characters'),
  password: current('Password'),
  code,
  passkey: PasskeyProof.exactOptional().describe('A passkey of the account, in place of a code.'),
}).meta({ id: 'Login' })
export type Login = z.output<typeof Login>

export const ConfirmPassword = body({
  password: current('Password').exactOptional(),
  code,
  passkey: PasskeyProof.exactOptional().describe('A passkey of the account, in place of both.'),
})
  .refine(({ password, passkey }) => (password === undefined) !== (passkey === undefined), {
    path: ['password'],
    message: 'Is required, or a passkey, and not both',
  })
  .meta({ id: 'ConfirmPassword', required: [] })

/** A password that somebody sets. */
export const NewPassword = secretOf(
  text('Password')
    .min(MIN_PASSWORD, `Must have at least ${MIN_PASSWORD} characters`)
    .max(1024, 'Must have at most 1024 characters'),
)

export const ChangePassword = body({
  current_password: current('Current password'),
  password: NewPassword,
  code,
  end_tokens: TrueOrFalse.default(false).describe('Whether every API token of the user ends too.'),
}).meta({ id: 'ChangePassword' })

const NAME_RULE = 'Must have 1 to 100 characters'

export const ChangeProfile = body({
  name: text('Name')
    .trim()
    .min(1, NAME_RULE)
    .max(100, NAME_RULE)
    .refine((name) => !/\p{C}/u.test(name), 'Must not contain control characters')
    .optional(),
  email: Email.transform((email) => email.toLowerCase())
    .optional()
    .describe('The address of the login, in lower case. Another one needs the password.'),
  password: current('Password').optional().describe('The current password of the user.'),
  code,
}).meta({ id: 'ChangeProfile' })

export const RequestReset = body({
  email: text('E-mail address')
    .trim()
    .min(1, 'E-mail address is required')
    .max(254, 'Must have at most 254 characters'),
}).meta({ id: 'RequestReset' })

export const ResetPassword = body({
  token: secretOf(text('Token').min(1, 'Token is required').max(256, 'Is no token')).describe(
    'What follows # in the address of the link.',
  ),
  password: NewPassword,
}).meta({ id: 'ResetPassword' })

const TokenScope = oneOf(TOKEN_SCOPES).describe(
  'read: calls that change nothing and show no password. operate: everyday work on sites and servers, too. admin: also servers, trust, settings, passwords, and permanent deletion.',
)

const DAYS = 'Must be a whole number of days between 1 and 365'

const MAX_NETWORKS = 20
const MAX_TOKEN_PARTS = 20

const Network = z
  .string('Must be a string')
  .trim()
  .max(64, 'Must have at most 64 characters')
  .transform((written, { addIssue }) => {
    const network = canonicalNetwork(written)
    if (network !== undefined) return network
    addIssue('Must be an IP address or a network such as 203.0.113.0/24 or 2001:db8::/32')
    return z.NEVER
  })

const TokenPart = z
  .strictObject({
    tag: Tag.optional().describe('The servers with this tag, and their sites.'),
    server_id: Id.optional().describe('This server and its sites.'),
    site_id: Id.optional().describe('This site.'),
  })
  .refine((part) => Object.values(part).filter((value) => value !== undefined).length === 1, {
    message: 'Must have exactly one of tag, server_id and site_id',
  })
  .transform(
    ({ tag = null, server_id = null, site_id = null }): Part => ({ tag, server_id, site_id }),
  )

/** What a new API token is and may do; the rest of a body says who may create it. */
export const NEW_TOKEN = {
  name: text('Name')
    .trim()
    .min(1, 'Must have 1 to 64 characters')
    .max(64, 'Must have 1 to 64 characters'),
  scope: TokenScope.default('operate'),
  expires_in_days: z.int(DAYS).min(1, DAYS).max(365, DAYS).default(90),
  addresses: z
    .array(Network, 'Must be a list of addresses')
    .min(1, 'Must have an address; null: no limit')
    .max(MAX_NETWORKS, `Must have at most ${MAX_NETWORKS} addresses`)
    .transform((networks) => [...new Set(networks)])
    .nullable()
    .default(null)
    .describe('The addresses and networks from which it may be used; null: no limit.'),
  only_for: z
    .array(TokenPart, 'Must be an array')
    .min(1, 'Must have an entry; null: no limit')
    .max(MAX_TOKEN_PARTS, `Must have at most ${MAX_TOKEN_PARTS} entries`)
    .nullable()
    .default(null)
    .describe(
      'The parts of the fleet that it is limited to: it has the rights that its account has there. Null: no limit.',
    ),
}
export type NewToken = z.output<z.ZodObject<typeof NEW_TOKEN>>

export const CreateApiToken = body({
  ...NEW_TOKEN,
  password: current('Password').describe('The current password of the user.'),
  code,
}).meta({ id: 'CreateApiToken' })

export const StartTotp = body({ password: current('Password') }).meta({ id: 'StartTotp' })
export const ConfirmTotp = body({ code: Code }).meta({ id: 'ConfirmTotp' })
/** The body of a change of the second factor: neither a stolen session nor a stolen password is enough. */
export const ChangeTotp = body({ password: current('Password'), code: Code }).meta({
  id: 'ChangeTotp',
})

export const TotpState = strictObject({
  enabled: z.boolean().describe('Whether a login needs a code.'),
  since: Timestamp.nullable(),
  recovery_codes_left: Count,
}).meta({ id: 'TotpState', description: 'The two-factor authentication of an account.' })
export type TotpState = z.infer<typeof TotpState>

export const RecoveryCodes = z
  .array(z.string())
  .describe('Each is valid once, in the place of a code of the app. They are shown only now.')
  .meta({ examples: [['k3w7q-x2mhd', 'p5ynb-4tzca']] })

export const User = strictObject({ id: RecordId, email: z.string(), name: z.string() }).meta({
  id: 'User',
  description: 'A user.',
})
export type User = z.infer<typeof User>

const LimitPart = strictObject({
  tag: z.string().nullable(),
  server_id: RecordId.nullable(),
  server: z
    .string()
    .nullable()
    .describe('The name of the server; null if the caller cannot see it.'),
  site_id: RecordId.nullable(),
  site: z.string().nullable().describe('The domain of the site; null if the caller cannot see it.'),
}).meta({
  id: 'LimitPart',
  description: 'The servers with a tag, one server, or one site; the others are null.',
})
export type LimitPart = z.infer<typeof LimitPart>

const Addresses = z
  .array(z.string())
  .nullable()
  .describe('The addresses and networks from which the token may be used; null: no limit.')
const OnlyFor = z
  .array(LimitPart)
  .nullable()
  .describe('The parts of the fleet for which the token may be used; null: no limit.')

export const ApiToken = strictObject({
  id: RecordId,
  name: z.string(),
  scope: TokenScope,
  addresses: Addresses,
  only_for: OnlyFor,
  created_at: Timestamp,
  expires_at: Timestamp,
  last_used_at: Timestamp.nullable().describe('To the minute; null when it was never used.'),
  last_address: z
    .string()
    .nullable()
    .describe('The address of the last use; null when it is unknown.'),
  refused: Count.describe('How many calls from other addresses were refused, to the minute.'),
}).meta({
  id: 'ApiToken',
  description: 'A token for scripts: it has the rights of its scope, until it expires.',
})
export type ApiToken = z.infer<typeof ApiToken>

const Role = z.enum(ROLES).nullable().describe('The role of the account; null without one.')
const Rights = z
  .array(z.enum(RIGHTS))
  .describe('What the caller may do. Each call names the right that it needs.')

const RightsOnParts = z
  .array(
    strictObject({
      tag: z.string().nullable().describe('On the servers with this tag, and their sites.'),
      server_id: RecordId.nullable().describe('On this server and its sites.'),
      site_id: RecordId.nullable().describe('On this site.'),
      rights: Rights,
    }),
  )
  .describe('What the caller may do on parts of the fleet, too. They add up.')

export const CallerRights = strictObject({
  role: Role,
  secrets: z
    .boolean()
    .describe('Whether the account may see passwords and the contents of all sites.'),
  rights: Rights.describe(
    'What the caller may do in the whole fleet. Each call names the right that it needs.',
  ),
  parts: RightsOnParts,
}).meta({
  id: 'CallerRights',
  description: 'What the caller may do. That of an API token is limited by its scope.',
})
export type CallerRights = z.infer<typeof CallerRights>

export const CurrentToken = strictObject({
  name: z.string(),
  scope: TokenScope,
  role: Role,
  rights: Rights,
  parts: RightsOnParts,
  addresses: Addresses,
  only_for: OnlyFor,
  expires_at: Timestamp,
}).meta({ id: 'CurrentToken', description: 'The API token that makes the call.' })

export const Session = strictObject({
  id: z.string(),
  device: z.string().describe('The browser and the system that it named at the login.'),
  address: z.string().describe('The address of the login; empty when it is unknown.'),
  created_at: Timestamp,
  last_used_at: Timestamp.describe('To the minute.'),
  is_current: z.boolean().describe('Whether it makes this call.'),
}).meta({ id: 'Session', description: 'A browser in which the user is signed in.' })
export type Session = z.infer<typeof Session>
