import { writeIf } from '#dashboard/kernel/activity/queries.ts'
import { grantStatements, partGrantStatements } from '#dashboard/kernel/auth/grants.queries.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import type { CoveredColumns } from '#dashboard/kernel/db/marks.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { users } from '#dashboard/kernel/db/schema.ts'
import type { HeldGrants } from '#shared/kernel/rights.ts'
import { type Account, isOneOwner } from './accounts.queries.ts'

/**
 * Stores a new account with its grants. Returns false unless `by` is still an owner. Breaks a
 * constraint for an id or a name that an account has.
 */
export function storeServiceAccount(
  { db, marks }: MarkedRecords,
  user: CoveredColumns<'users'>,
  { grants, parts }: HeldGrants,
  by: Account,
  entry: NewActivity,
): Promise<boolean> {
  const given = { user_id: user.id, given_at: user.created_at }
  return writeIf(db, isOneOwner([by]), entry, (queries) => [
    queries.insert(users).values({ ...user, mark: marks.of('users', user) }),
    ...grantStatements(queries, marks, { ...given, gives: grants }),
    ...partGrantStatements(queries, marks, { ...given, parts }),
  ])
}
