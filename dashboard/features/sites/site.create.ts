import { named, onSite, whenOnline } from '#dashboard/features/backups/rule-parts.ts'
import { recordsStep, withoutRecords } from '#dashboard/features/domains/dns/stored-changes.ts'
import { setFinalStatus, setSite } from '#dashboard/kernel/engine/record-changes.queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'

/** The rules of a new site. A failed one stays recorded with the reason, and can be retried. */
export const siteCreate: OperationRules<'site.create'> = {
  ...onSite,
  ...whenOnline,
  sent: withoutRecords,
  first_step: recordsStep,
  params: (_, __, { dns: _dns, ...input }) => input,
  site: { states: ['failed', 'cancelled'], found: false },
  during: setSite({ status: 'provisioning', status_reason: '' }),
  succeeded: () => setSite({ status: 'active', status_reason: '' }),
  failed: (status_reason) => setSite({ status: 'failed', status_reason }),
  cancelled: (reason) => setFinalStatus(named(reason, 'Its creation')),
  bulk: null,
}
