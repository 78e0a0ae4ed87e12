import { siteCall } from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

/**
 * The rules of a test message of a server, or of one of its sites: through the stored relay, not
 * one that is being typed.
 */
export const mailCheck: OperationRules<'mail.check'> = {
  ...siteCall,
  params: (_, { site }, { to }) => ({ to, ...(site && { domain: site.domain }) }),
  succeeded: () => NO_CHANGE,
  bulk: null,
}
