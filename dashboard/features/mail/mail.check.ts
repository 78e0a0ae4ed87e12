import { siteCall } from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

/** The message of a server or site goes through the stored relay, not one being typed. */
export const mailCheck: OperationRules<'mail.check'> = {
  ...siteCall,
  params: (_, { site }, { to }) => ({ to, ...(site && { domain: site.domain }) }),
  succeeded: () => NO_CHANGE,
  bulk: null,
}
