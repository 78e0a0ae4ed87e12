import { z } from 'zod'
import { bulkInUse, IN_USE, siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { AccessGrants } from '#shared/access/site-access.ts'
import { ClientAccounts } from '#shared/access/site-clients.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { clientsFor } from './clients.ts'
import { listEndedSince, storeAccess } from './queries.ts'
import { grantsFor } from './show-access.ts'

const Stored = z.object({ grants: AccessGrants, clients: ClientAccounts })

/** The rules of a change of access. The agent gets names and keys as they are recorded now. */
export const siteAccess: OperationRules<'site.access'> = {
  ...siteCall,
  ...bulkInUse,
  site: { states: IN_USE, found: false },
  async params({ db }, target, input) {
    const { id, domain } = siteOf(target)
    const grants = await grantsFor(db, id, input)
    const clients = await clientsFor(db, id, input)
    return { domain, grants, clients, install: input.install }
  },
  async refuse_retry({ db }, { params, created_at }) {
    const { grants } = Stored.parse(params)
    const ids = grants.map(({ id }) => id)
    const [first] = await listEndedSince(db, ids, created_at)
    if (first)
      throw conflict(
        `The account of ${first.name} was deactivated or removed since: set the access again`,
      )
  },
  succeeded: (report, { params }) => storeAccess(Stored.parse(params), report),
}
