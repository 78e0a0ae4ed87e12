import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { domainOf, siteCall } from './parts.ts'

export const siteJobRun: OperationRules<'site.job-run'> = {
  ...siteCall,
  site: { states: ['active'], found: false },
  params: (_, target, { name }) => ({ domain: domainOf(target), name }),
  succeeded: () => NO_CHANGE,
  bulk: null,
}
