import { refuseForeignNames } from '#dashboard/domains/foreign-names.ts'
import { releaseNames, reserveNames, storeNames } from '#dashboard/domains/names.queries.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { atOnce, onSite, siteOf } from './parts.ts'

/** Its names are reserved while it runs: no other site of the fleet can take them. */
export const siteDomains: OperationRules<'site.domains'> = {
  ...onSite,
  ...atOnce,
  params: async ({ db }, target, names) => {
    const site = siteOf(target)
    await refuseForeignNames(db, site, names)
    return { domain: site.domain, ...names }
  },
  during: reserveNames,
  succeeded: () => storeNames,
  failed: () => releaseNames,
  cancelled: () => releaseNames,
  bulk: null,
}
