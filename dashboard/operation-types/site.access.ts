import { z } from 'zod'
import { clientsFor } from '#dashboard/access/clients.ts'
import { storeAccess } from '#dashboard/access/queries.ts'
import { grantsFor } from '#dashboard/access/site.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { AccessGrants } from '#shared/site-access.ts'
import { ClientAccounts } from '#shared/site-clients.ts'
import { bulkInUse, IN_USE, siteCall, siteOf } from './parts.ts'

const Stored = z.object({ grants: AccessGrants, clients: ClientAccounts })

/** The agent gets names and keys as they are recorded now. */
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
