import type { OperationRules } from '#dashboard/operations/rules.ts'
import { bulkInUse, domainOf, IN_USE, siteCall } from './parts.ts'
import { setSite } from './queries.ts'

export const siteSuspend: OperationRules<'site.suspend'> = {
  ...siteCall,
  ...bulkInUse,
  site: { states: IN_USE, found: false },
  params: (_, target) => ({ domain: domainOf(target) }),
  succeeded: () => setSite({ status: 'suspended', status_reason: '' }),
}
