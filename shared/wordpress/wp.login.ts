import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, Id, ReportedDomain } from '#shared/kernel/fields.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { LoginHash } from './wp-login.ts'

const wpLogin = command({
  name: 'wp.login',
  summary: 'Admit a token for one login to the WordPress of a site',
  changes: true,
  params: z.object({
    domain: Domain,
    user_id: Id.nullable().default(null).describe('Null: the first administrator.'),
    token_hash: LoginHash,
  }),
  result: z.object({
    domain: ReportedDomain,
    user: z.string().max(60).describe('The name of the user in WordPress.'),
    url: z.url().max(300).describe('The address that takes the token by POST.'),
  }),
})

export const wpLoginType = operationType({
  name: 'Log in to WordPress',
  title: 'Log in to the WordPress of',
  target: 'site',
  command: wpLogin,
  right: 'secrets',
  client_right: 'login',
  excludes: 'same_site_except_backup',
  params: wpLogin.params.omit({ domain: true }),
  confirms: SAME_DOMAIN,
  outcome: completesWith(wpLogin.result),
  bulk: null,
})
