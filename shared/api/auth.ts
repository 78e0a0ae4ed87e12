import { z } from 'zod'
import { secretOf } from '../secret.ts'
import { body } from './body.ts'
import { RecordId, Timestamp } from './parts.ts'

const text = (label: string) =>
  z.string({
    error: ({ input }) => (input === undefined ? `${label} is required` : 'Must be a string'),
  })

/** An address that nobody has is wrong credentials, not a failed field. A password is never trimmed. */
export const Login = body({
  email: text('E-mail address')
    .trim()
    .min(1, 'E-mail address is required')
    .max(254, 'Must have at most 254 characters'),
  password: secretOf(
    text('Password').min(1, 'Password is required').max(1024, 'Must have at most 1024 characters'),
  ),
}).meta({ id: 'Login' })

export const ChangePassword = body({
  current_password: secretOf(text('Current password').min(1, 'Current password is required')),
  password: secretOf(
    text('Password')
      .min(12, 'Must have at least 12 characters')
      .max(1024, 'Must have at most 1024 characters'),
  ),
}).meta({ id: 'ChangePassword' })

export const CreateApiToken = body({
  name: text('Name')
    .trim()
    .min(1, 'Must have 1 to 64 characters')
    .max(64, 'Must have 1 to 64 characters'),
}).meta({ id: 'CreateApiToken' })

export const User = z
  .strictObject({ id: RecordId, email: z.string(), name: z.string() })
  .meta({ id: 'User', description: 'A person who signs in.' })
export type User = z.infer<typeof User>

export const ApiToken = z
  .strictObject({
    id: RecordId,
    name: z.string(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().describe('To the minute; null when it was never used.'),
  })
  .meta({ id: 'ApiToken', description: 'A token for scripts, with all rights of its owner.' })
export type ApiToken = z.infer<typeof ApiToken>
