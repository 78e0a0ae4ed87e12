import { strictObject, z } from 'zod'
import { body } from '#shared/kernel/api/body.ts'
import { Timestamp } from '#shared/kernel/api/parts.ts'
import { Id } from '#shared/kernel/fields.ts'
import { MAX_USERS } from '#shared/wordpress/wp-login.ts'

const SiteUser = strictObject({
  id: z.int().positive(),
  login: z.string(),
  name: z.string(),
  role: z.string().describe('The first role, such as `administrator`.'),
}).meta({ id: 'SiteUser', description: 'An account of the WordPress of a site.' })

export const SiteUsers = strictObject({
  users: z.array(SiteUser).max(MAX_USERS),
  more: z.boolean().describe('Whether there are more.'),
}).meta({ id: 'SiteUsers' })
export type SiteUsers = z.infer<typeof SiteUsers>

export const StartLogin = body({
  user_id: Id.nullable()
    .default(null)
    .describe('A user of the WordPress of the site; null: its first administrator.'),
}).meta({ id: 'StartLogin' })

export const StartedLogin = strictObject({
  url: z.string().describe('The browser sends the token there by POST, as the form field `token`.'),
  token: z.string().describe('For one login.'),
  user: z.string(),
  expires_at: Timestamp,
}).meta({ id: 'StartedLogin' })
export type StartedLogin = z.infer<typeof StartedLogin>
