import { domainOf, named, neverQueued, onSite } from '#dashboard/features/backups/rule-parts.ts'
import {
  removeSite,
  restoreStatus,
  setTransientStatus,
} from '#dashboard/kernel/engine/record-changes.queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { nothingToDelete } from '#dashboard/kernel/engine/warnings.ts'

const DAY_MS = 24 * 3600_000

/** The dashboard starts it by the age of a site, which the agent checks by its own record. */
export const sitePurge: OperationRules<'site.purge'> = {
  ...onSite,
  ...neverQueued,
  params: ({ trash_ms }, target) => ({
    domain: domainOf(target),
    confirm: domainOf(target),
    trashed_days: target.actor === null ? Math.floor(trash_ms / DAY_MS) : 0,
  }),
  site: { states: ['trashed'], found: false },
  during: setTransientStatus('deleting'),
  succeeded: () => removeSite,
  failed: (reason) => restoreStatus(reason),
  cancelled: (reason) => restoreStatus(named(reason, 'Its permanent deletion')),
  absent: async (_, __, { domain }) => ({
    report: { domain },
    change: removeSite,
    warnings: [nothingToDelete(domain)],
  }),
  bulk: null,
}
