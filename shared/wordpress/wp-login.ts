import { z } from 'zod'
import { Id } from '#shared/kernel/fields.ts'

/** The seconds for which a token can be used. */
export const LOGIN_SECONDS = 60
/** The SHA-256 of a token, in hex: the token itself never reaches the agent. */
export const LoginHash = z.string().regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256 in hex')

/** The maximum number of accounts that the choice shows. */
export const MAX_USERS = 50

const cut = (most: number) => z.string().transform((text) => text.slice(0, most))

/** An account of the WordPress of a site; the site chooses the texts. */
const WordpressUser = z.object({
  id: Id,
  login: cut(60),
  name: cut(250),
  role: cut(60).describe('The first role, such as `administrator`.'),
  email: cut(254).exactOptional().describe('The address, if one was asked for.'),
})

/** `more` is true when there are more accounts than those of the list. */
export const WordpressUsers = z.object({
  users: z.array(WordpressUser).max(MAX_USERS),
  more: z.boolean(),
})
export type WordpressUsers = z.infer<typeof WordpressUsers>
