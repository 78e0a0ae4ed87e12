import { storeAccess } from '#dashboard/access/queries.ts'
import { grantsFor } from '#dashboard/access/site.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { AccessGrants } from '#shared/site-access.ts'
import { atOnce, bulkInUse, IN_USE, onSite, siteOf, unchangedOtherwise } from './parts.ts'

/** The agent gets names and keys as they are on record now. */
export const siteAccess: OperationRules<'site.access'> = {
  ...onSite,
  ...atOnce,
  ...bulkInUse,
  ...unchangedOtherwise,
  site: { states: IN_USE, found: false },
  async params({ db }, target, input) {
    const { id, domain } = siteOf(target)
    return { domain, grants: await grantsFor(db, id, input), install: input.install }
  },
  succeeded: (report, { params }) => storeAccess(AccessGrants.parse(params.grants), report),
}
