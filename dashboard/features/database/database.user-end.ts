import { domainOf, siteCall } from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

/** The rules of the end of a user, which waits for no other operation of the site. */
export const databaseUserEnd: OperationRules<'database.user-end'> = {
  ...siteCall,
  params: (_, target, { user }) => ({ domain: domainOf(target), user }),
  succeeded: () => NO_CHANGE,
  bulk: null,
}
