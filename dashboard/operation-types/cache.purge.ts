import { purgesCdn } from '#dashboard/dns/purge.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { bulkInUse, domainOf, siteCall } from './parts.ts'

export const cachePurge: OperationRules<'cache.purge'> = {
  ...siteCall,
  ...bulkInUse,
  ...purgesCdn,
  params: (_, target) => ({ domain: domainOf(target) }),
  succeeded: () => NO_CHANGE,
}
