import { bulkInUse, domainOf, IN_USE, siteCall } from '#dashboard/features/backups/rule-parts.ts'
import { setSite } from '#dashboard/kernel/engine/record-changes.queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'

export const siteResume: OperationRules<'site.resume'> = {
  ...siteCall,
  ...bulkInUse,
  site: { states: IN_USE, found: false },
  params: (_, target) => ({ domain: domainOf(target) }),
  succeeded: () => setSite({ status: 'active', status_reason: '' }),
}
