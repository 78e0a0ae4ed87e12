import { atOnce, named, onSite } from '#dashboard/features/backups/rule-parts.ts'
import { siteClone } from '#dashboard/features/copies/site.clone.ts'
import { recordsStep } from '#dashboard/features/domains/dns/stored-changes.ts'
import { withoutCopies } from '#dashboard/features/moves/left-copies.ts'
import { recoverParams } from '#dashboard/features/recovery/lost/params.ts'
import { changeServer } from '#dashboard/features/recovery/lost/queries.ts'
import { setFinalStatus } from '#dashboard/kernel/engine/record-changes.queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'

const STATES = ['active', 'suspended', 'missing', 'failed', 'cancelled'] as const

/** The command restores the site itself from a backup; its record changes its server. */
export const siteRecover: OperationRules<'site.recover'> = {
  ...onSite,
  ...atOnce,
  sent: (params, ...how) => siteClone.sent(withoutCopies(params), ...how),
  first_step: recordsStep,
  site: { states: STATES, found: false },
  params: recoverParams,
  during: changeServer,
  succeeded: siteClone.succeeded,
  failed: siteClone.failed,
  cancelled: (reason) => setFinalStatus(named(reason, 'Its restore')),
  bulk: {
    states: [],
    managed_only: true,
    stores_origin: false,
    arrives: true,
    started_by: 'POST /api/servers/:server_id/lost',
  },
}
