import { bulkInUse, domainOf, siteCall } from '#dashboard/features/backups/rule-parts.ts'
import { purgesCdn } from '#dashboard/features/domains/dns/purge.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

export const wpCacheFlush: OperationRules<'wp.cache-flush'> = {
  ...siteCall,
  ...bulkInUse,
  ...purgesCdn,
  params: (_, target) => ({ domain: domainOf(target) }),
  succeeded: () => NO_CHANGE,
}
