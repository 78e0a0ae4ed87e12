import { siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { NO_CHANGE } from '#dashboard/kernel/engine/rules.ts'
import { retriedStaging, stagingDomainOf } from './copy-source.ts'

export const siteCompare: OperationRules<'site.compare'> = {
  ...siteCall,
  params: async ({ db }, target, { staging_id }) => {
    const { id, domain } = siteOf(target)
    return { domain, from: await stagingDomainOf(db, id, staging_id) }
  },
  retry_also: retriedStaging,
  succeeded: () => NO_CHANGE,
  bulk: null,
}
