import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { domainOf, siteCall } from './parts.ts'

/** It waits for no other operation of the site. */
export const databaseUserEnd: OperationRules<'database.user-end'> = {
  ...siteCall,
  params: (_, target, { user }) => ({ domain: domainOf(target), user }),
  succeeded: () => NO_CHANGE,
  bulk: null,
}
