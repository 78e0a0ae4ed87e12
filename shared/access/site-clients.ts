import { z } from 'zod'
import { ClientToken, MAX_CLIENTS } from '#shared/kernel/reported-clients.ts'
import { Expiry, endOf, PersonName } from './site-access.ts'

/** bcrypt, as crypt(3) of Debian reads it. */
const ClientPasswordHash = z
  .string('Must be a string')
  .regex(/^\$2b\$1[0-4]\$[./A-Za-z0-9]{53}$/, 'Must be a bcrypt hash with a cost of 10 to 14')

export const ClientLabel = PersonName.describe('Whose account it is.')

/** An account with a password that moves files of one site, as its agent needs it. */
export const ClientAccount = z.object({
  token: ClientToken,
  label: ClientLabel,
  expires_at: Expiry,
  password_hash: ClientPasswordHash,
})
export type ClientAccount = z.infer<typeof ClientAccount>

export const ClientAccounts = z
  .array(ClientAccount, 'Must be a list of client accounts')
  .max(MAX_CLIENTS, `Must have at most ${MAX_CLIENTS} client accounts`)
  .refine(
    (clients) => new Set(clients.map(({ token }) => token)).size === clients.length,
    'Must name each account once',
  )

/** Returns whether the account gives no more than an earlier one. */
export const isClientWithin = (client: ClientAccount, former: ClientAccount): boolean =>
  client.token === former.token &&
  client.password_hash === former.password_hash &&
  endOf(client) <= endOf(former)
