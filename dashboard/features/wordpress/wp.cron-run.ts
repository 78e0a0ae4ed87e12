import { domainOf, siteCall } from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

export const wpCronRun: OperationRules<'wp.cron-run'> = {
  ...siteCall,
  site: { states: ['active'], found: false },
  params: (_, target) => ({ domain: domainOf(target) }),
  succeeded: () => NO_CHANGE,
  bulk: { states: ['active'], managed_only: false, stores_origin: false },
}
