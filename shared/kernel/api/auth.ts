import { strictObject, z } from 'zod'
import { oneOf, required, TrueOrFalse } from '#shared/kernel/fields.ts'
import { secretOf } from '#shared/kernel/secret.ts'
import { TOKEN_SCOPES } from '#shared/kernel/values.ts'
import { body, openBody } from './body.ts'
import { RecordId, Timestamp } from './parts.ts'

/** The minimum length of a new password. */
export const MIN_PASSWORD = 12

const text = (label: string) => z.string(required(label))

/** The current password of the caller, for actions that a stolen session must not allow. */
const current = (label: string) =>
  secretOf(
    text(label).min(1, `${label} is required`).max(1024, 'Must have at most 1024 characters'),
  )

/** An unknown address means wrong credentials, not an invalid field. A password is never trimmed. */
export const Login = openBody({
  email: text('E-mail address')
    .trim()
    .min(1, 'E-mail address is required')
    .max(254, 'Must have at most 254 characters'),
  password: current('Password'),
}).meta({ id: 'Login' })
export type Login = z.output<typeof Login>

export const ConfirmPassword = body({ password: current('Password') }).meta({
  id: 'ConfirmPassword',
})

export const ChangePassword = body({
  current_password: current('Current password'),
  password: secretOf(
    text('Password')
      .min(MIN_PASSWORD, `Must have at least ${MIN_PASSWORD} characters`)
      .max(1024, 'Must have at most 1024 characters'),
  ),
  end_tokens: TrueOrFalse.default(false).describe('Whether every API token of the user ends too.'),
}).meta({ id: 'ChangePassword' })

const TokenScope = oneOf(TOKEN_SCOPES).describe(
  'read: calls that change nothing and show no password. operate: everyday work on sites and servers, too. admin: also servers, trust, settings, passwords, and permanent deletion.',
)

const DAYS = 'Must be a whole number of days between 1 and 365'

export const CreateApiToken = body({
  name: text('Name')
    .trim()
    .min(1, 'Must have 1 to 64 characters')
    .max(64, 'Must have 1 to 64 characters'),
  password: current('Password').describe('The current password of the user.'),
  scope: TokenScope.default('operate'),
  expires_in_days: z.int(DAYS).min(1, DAYS).max(365, DAYS).default(90),
}).meta({ id: 'CreateApiToken' })

export const User = strictObject({ id: RecordId, email: z.string(), name: z.string() }).meta({
  id: 'User',
  description: 'A user.',
})
export type User = z.infer<typeof User>

export const ApiToken = strictObject({
  id: RecordId,
  name: z.string(),
  scope: TokenScope,
  created_at: Timestamp,
  expires_at: Timestamp,
  last_used_at: Timestamp.nullable().describe('To the minute; null when it was never used.'),
}).meta({
  id: 'ApiToken',
  description: 'A token for scripts: it has the rights of its scope, until it expires.',
})
export type ApiToken = z.infer<typeof ApiToken>
