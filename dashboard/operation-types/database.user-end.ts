import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { atOnce, domainOf, onSite, unchangedOtherwise } from './parts.ts'

/** It waits for no other operation of the site. */
export const databaseUserEnd: OperationRules<'database.user-end'> = {
  ...onSite,
  ...atOnce,
  ...unchangedOtherwise,
  params: (_, target, { user }) => ({ domain: domainOf(target), user }),
  succeeded: () => NO_CHANGE,
  bulk: null,
}
