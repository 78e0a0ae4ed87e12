import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'
import { listAccounts, storeOwner } from './accounts.queries.ts'
import { wordsOf } from './accounts.ts'

/**
 * Makes an account an owner, by a command on the machine of the dashboard, and activates it if it is
 * deactivated. Throws 404 without an account, and 409 for an owner, and for an account whose role
 * follows a provider. The overview shows it for a week.
 */
export async function makeOwner(
  { db, marks, clock }: MarkedRecords & { clock: Clock },
  email: string,
): Promise<void> {
  const accounts = await listAccounts({ db, marks })
  const account = accounts.find(({ user }) => user.kind === 'person' && user.email === email)
  if (!account) throw notFound('Account')
  const { grants, user } = account
  if (grants.includes('owner') && user.deactivated_at === null)
    throw conflict(`${email} is an owner already`)
  if (user.managed_by !== '')
    throw conflict(`The role of ${email} follows its claim at ${user.managed_by}: change it there`)
  const detail = `${email}: ${wordsOf(account)} → owner, by a command on its machine`
  const entry = entryOf(clock, { type: 'account.make_owner', detail })
  if (!(await storeOwner({ db, marks }, account, entry, timestamp(clock))))
    throw conflict('The account was changed meanwhile: try again')
}
