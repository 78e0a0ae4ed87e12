import { z } from 'zod'
import { bulkInUse, IN_USE, siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { AccessGrants } from '#shared/access/site-access.ts'
import { ClientAccounts } from '#shared/access/site-clients.ts'
import { clientsFor } from './clients.ts'
import { storeAccess } from './queries.ts'
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
  succeeded: (report, { params }) => storeAccess(Stored.parse(params), report),
}
