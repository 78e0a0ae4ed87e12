import type { OperationRules } from '#dashboard/operations/rules.ts'
import { atOnce, bulkInUse, domainOf, IN_USE, onSite, unchangedOtherwise } from './parts.ts'
import { setSite } from './queries.ts'

export const siteSuspend: OperationRules<'site.suspend'> = {
  ...onSite,
  ...atOnce,
  ...bulkInUse,
  ...unchangedOtherwise,
  site: { states: IN_USE, found: false },
  params: (_, target) => ({ domain: domainOf(target) }),
  succeeded: () => setSite({ status: 'suspended', status_reason: '' }),
}
