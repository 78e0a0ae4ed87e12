import { z } from 'zod'
import { secretOf } from '../secret.ts'
import { body } from './body.ts'

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
})

export const ChangePassword = body({
  current_password: secretOf(text('Current password').min(1, 'Current password is required')),
  password: secretOf(
    text('Password')
      .min(12, 'Must have at least 12 characters')
      .max(1024, 'Must have at most 1024 characters'),
  ),
})

export const CreateApiToken = body({
  name: text('Name')
    .trim()
    .min(1, 'Must have 1 to 64 characters')
    .max(64, 'Must have 1 to 64 characters'),
})

export const User = z.strictObject({ id: z.number(), email: z.string(), name: z.string() })
export type User = z.infer<typeof User>

/** `last_used_at` is null for a token that was never used. */
export const ApiToken = z.strictObject({
  id: z.number(),
  name: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
})
export type ApiToken = z.infer<typeof ApiToken>
