import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { atOnce, domainOf, onSite, unchangedOtherwise } from './parts.ts'

export const wpCronRun: OperationRules<'wp.cron-run'> = {
  ...onSite,
  ...atOnce,
  ...unchangedOtherwise,
  site: { states: ['active'], found: false },
  params: (_, target) => ({ domain: domainOf(target) }),
  succeeded: () => NO_CHANGE,
  bulk: { states: ['active'], managed_only: false, stores_origin: false },
}
