import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { atOnce, bulkInUse, domainOf, IN_USE, onSite, unchangedOtherwise } from './parts.ts'

/** The server has the jobs: a backup and a move take them from there. */
export const siteJobs: OperationRules<'site.jobs'> = {
  ...onSite,
  ...atOnce,
  ...bulkInUse,
  ...unchangedOtherwise,
  site: { states: IN_USE, found: false },
  params: (_, target, change) => ({ domain: domainOf(target), ...change }),
  succeeded: () => NO_CHANGE,
}
