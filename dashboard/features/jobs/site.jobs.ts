import { bulkInUse, domainOf, IN_USE, siteCall } from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

/** The server has the jobs: a backup and a move take them from there. */
export const siteJobs: OperationRules<'site.jobs'> = {
  ...siteCall,
  ...bulkInUse,
  site: { states: IN_USE, found: false },
  params: (_, target, change) => ({ domain: domainOf(target), ...change }),
  succeeded: () => NO_CHANGE,
}
