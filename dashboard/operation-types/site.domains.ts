import { chosenChanges } from '#dashboard/dns/choose.ts'
import { recordsStep, storedChanges, withoutRecords } from '#dashboard/dns/stored.ts'
import { refuseForeignNames } from '#dashboard/domains/foreign-names.ts'
import { releaseNames, reserveNames, storeNames } from '#dashboard/domains/names.queries.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { allNamesOf } from '#shared/site-names.ts'
import { atOnce, onSite, siteOf } from './parts.ts'

/** Its names are reserved while it runs: no other site of the fleet can take them. */
export const siteDomains: OperationRules<'site.domains'> = {
  ...onSite,
  ...atOnce,
  sent: withoutRecords,
  first_step: recordsStep,
  params: async (deps, target, { dns, ...names }) => {
    const site = siteOf(target)
    await refuseForeignNames(deps.db, site, names)
    const all = allNamesOf({ domain: site.domain, names })
    const changes = await chosenChanges(deps, target.server, all, dns)
    return { domain: site.domain, ...names, ...storedChanges(changes) }
  },
  during: reserveNames,
  succeeded: () => storeNames,
  failed: () => releaseNames,
  cancelled: () => releaseNames,
  bulk: null,
}
