import { purgesCdn } from '#dashboard/dns/purge.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { atOnce, bulkInUse, domainOf, onSite, unchangedOtherwise } from './parts.ts'

export const wpCacheFlush: OperationRules<'wp.cache-flush'> = {
  ...onSite,
  ...atOnce,
  ...bulkInUse,
  ...unchangedOtherwise,
  ...purgesCdn,
  params: (_, target) => ({ domain: domainOf(target) }),
  succeeded: () => NO_CHANGE,
}
