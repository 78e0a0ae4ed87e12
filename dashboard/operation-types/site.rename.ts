import { z } from 'zod'
import { backupFirst } from '#dashboard/backup-first/needed.ts'
import { chosenChanges } from '#dashboard/dns/choose.ts'
import { recordsStep, storedChanges, withoutRecords } from '#dashboard/dns/stored.ts'
import { namesOf, releaseNames } from '#dashboard/domains/names.queries.ts'
import { reservePrimary, storePrimary } from '#dashboard/domains/rename.queries.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { restoreStatements } from '#dashboard/site-backups/restores.queries.ts'
import { refusePrimary } from '#dashboard/sites/refuse-primary.ts'
import { COMMANDS } from '#shared/commands.ts'
import { namesAfter } from '#shared/primary-domain.ts'
import { allNamesOf } from '#shared/site-names.ts'
import { atOnce, onSite, siteOf } from './parts.ts'
import { allOf } from './queries.ts'

/** The new name is reserved while it runs: no other site of the fleet can take it. */
export const siteRename: OperationRules<'site.rename'> = {
  ...onSite,
  ...atOnce,
  site: { states: ['active'], found: false },
  sent: withoutRecords,
  first_step: recordsStep,
  params: async (deps, target, { without_backup: _, dns, ...given }) => {
    const site = siteOf(target)
    await refusePrimary(deps.db, site, given)
    const names = allNamesOf({
      domain: given.primary,
      names: namesAfter({ domain: site.domain, names: await namesOf(deps.db, site.id) }, given),
    })
    const changes = await chosenChanges(deps, target.server, names, dns)
    return { domain: site.domain, ...given, ...storedChanges(changes) }
  },
  backup_first: (deps, target, input) => backupFirst(deps, siteOf(target), input),
  during: reservePrimary,
  succeeded: (report, { params }) => {
    const asked = COMMANDS['site.rename'].params.parse(params)
    // Another name breaks the contract.
    z.literal(asked.primary).parse(report.domain)
    return allOf(storePrimary(report, asked), (queries, { site_id }) =>
      site_id === null ? [] : restoreStatements(queries, site_id, null),
    )
  },
  failed: () => releaseNames,
  cancelled: () => releaseNames,
  bulk: null,
}
