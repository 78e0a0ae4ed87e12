import { domainOf, named, onSite, whenOnline } from '#dashboard/features/backups/rule-parts.ts'
import {
  allChanges,
  manageSite,
  restoreStatus,
  setSite,
  setTransientStatus,
} from '#dashboard/kernel/engine/record-changes.queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'

export const siteRestore: OperationRules<'site.restore'> = {
  ...onSite,
  ...whenOnline,
  params: (_, target, input) => ({ domain: domainOf(target), ...input }),
  site: { states: ['trashed'], found: false },
  during: setTransientStatus('provisioning'),
  succeeded: () =>
    allChanges(
      setSite({
        status: 'active',
        status_reason: '',
        former_status: null,
        trashed_at: null,
        purge_at: null,
        trash_size: null,
      }),
      manageSite,
    ),
  failed: (reason) => restoreStatus(reason),
  cancelled: (reason) => restoreStatus(named(reason, 'Its return from the trash')),
  // A site that only an agent has in its trash can be restored by name.
  bulk: { states: ['trashed'], managed_only: true, stores_origin: false },
}
