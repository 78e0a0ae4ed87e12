import { recordsStep } from '#dashboard/dns/stored.ts'
import { recoverParams } from '#dashboard/lost/params.ts'
import { changeServer } from '#dashboard/lost/queries.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { atOnce, named, onSite } from './parts.ts'
import { endSite } from './queries.ts'
import { siteClone } from './site.clone.ts'

const STATES = ['active', 'suspended', 'missing', 'failed', 'cancelled'] as const

/** Like a copy of a backup, but of the site itself, whose record changes its server. */
export const siteRecover: OperationRules<'site.recover'> = {
  ...onSite,
  ...atOnce,
  sent: siteClone.sent,
  first_step: recordsStep,
  site: { states: STATES, found: false },
  params: recoverParams,
  during: changeServer,
  succeeded: siteClone.succeeded,
  failed: siteClone.failed,
  cancelled: (reason) => endSite(named(reason, 'Its restore')),
  bulk: {
    states: [],
    managed_only: true,
    stores_origin: false,
    arrives: true,
    started_by: 'POST /api/servers/:server_id/lost',
  },
}
