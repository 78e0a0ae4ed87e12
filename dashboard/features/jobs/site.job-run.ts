import { domainOf, siteCall } from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

export const siteJobRun: OperationRules<'site.job-run'> = {
  ...siteCall,
  site: { states: ['active'], found: false },
  params: (_, target, { name }) => ({ domain: domainOf(target), name }),
  succeeded: () => NO_CHANGE,
  bulk: null,
}
