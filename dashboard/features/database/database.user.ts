import { domainOf, IN_USE, siteCall } from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

/** The rules of a temporary user. The records have the hash of its password only. */
export const databaseUser: OperationRules<'database.user'> = {
  ...siteCall,
  site: { states: IN_USE, found: false },
  params: (_, target, { token, rights, minutes, account_hash }) => ({
    domain: domainOf(target),
    token,
    rights,
    minutes,
    account_hash,
  }),
  succeeded: () => NO_CHANGE,
  bulk: null,
}
