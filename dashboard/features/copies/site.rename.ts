import { z } from 'zod'
import { backupFirstOfSite } from '#dashboard/features/backups/backup-first/backup-needed.ts'
import { restoreStatements } from '#dashboard/features/backups/restores.queries.ts'
import { atOnce, onSite, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import { chosenChanges } from '#dashboard/features/domains/dns/choose-changes.ts'
import {
  recordsStep,
  storedChanges,
  withoutRecords,
} from '#dashboard/features/domains/dns/stored-changes.ts'
import { namesOf, releaseNames } from '#dashboard/features/domains/names.queries.ts'
import { reservePrimary, storePrimary } from '#dashboard/features/domains/rename.queries.ts'
import { refusePrimary } from '#dashboard/features/sites/refuse-primary.ts'
import { allChanges } from '#dashboard/kernel/engine/record-changes.queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { COMMANDS } from '#shared/commands.ts'
import { namesAfter } from '#shared/domains/primary-domain.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'

/** The new primary domain is reserved while the operation runs: no other site can take it. */
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
  backup_first: (deps, target, input) => backupFirstOfSite(deps, siteOf(target), input),
  during: reservePrimary,
  succeeded: (report, { params }) => {
    const asked = COMMANDS['site.rename'].params.parse(params)
    // Another name breaks the contract.
    z.literal(asked.primary).parse(report.domain)
    return allChanges(storePrimary(report, asked), (queries, { site_id }) =>
      site_id === null ? [] : restoreStatements(queries, site_id, null),
    )
  },
  failed: () => releaseNames,
  cancelled: () => releaseNames,
  bulk: null,
}
