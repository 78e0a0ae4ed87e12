import { atOnce, onSite, siteOf } from '#dashboard/features/backups/parts.ts'
import { chosenChanges } from '#dashboard/features/domains/dns/choose.ts'
import {
  recordsStep,
  storedChanges,
  withoutRecords,
} from '#dashboard/features/domains/dns/stored.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { refuseForeignNames } from './foreign-names.ts'
import { releaseNames, reserveNames, storeNames } from './names.queries.ts'

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
