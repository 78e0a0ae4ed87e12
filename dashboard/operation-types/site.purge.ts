import type { OperationRules } from '#dashboard/operations/rules.ts'
import { nothingToDelete } from '#dashboard/operations/warnings.ts'
import { domainOf, named, onSite, whenOnline } from './parts.ts'
import { moveSite, removeSite, returnSite } from './queries.ts'

export const sitePurge: OperationRules<'site.purge'> = {
  ...onSite,
  ...whenOnline,
  params: (_, target) => ({ domain: domainOf(target), confirm: domainOf(target) }),
  site: { states: ['trashed'], found: false },
  during: moveSite('deleting'),
  succeeded: () => removeSite,
  failed: (reason) => returnSite(reason),
  cancelled: (reason) => returnSite(named(reason, 'Its permanent deletion')),
  absent: async (_, __, { domain }) => ({
    report: { domain },
    change: removeSite,
    warnings: [nothingToDelete(domain)],
  }),
  bulk: null,
}
