import { z } from 'zod'
import { backupFirst } from '#dashboard/backup-first/needed.ts'
import { releaseNames } from '#dashboard/domains/names.queries.ts'
import { reservePrimary, storePrimary } from '#dashboard/domains/rename.queries.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { restoreStatements } from '#dashboard/site-backups/restores.queries.ts'
import { refusePrimary } from '#dashboard/sites/refuse-primary.ts'
import { COMMANDS } from '#shared/commands.ts'
import { atOnce, onSite, siteOf } from './parts.ts'
import { allOf } from './queries.ts'

/** The new name is reserved while it runs: no other site of the fleet can take it. */
export const siteRename: OperationRules<'site.rename'> = {
  ...onSite,
  ...atOnce,
  site: { states: ['active'], found: false },
  params: async ({ db }, target, { without_backup: _, ...given }) => {
    const site = siteOf(target)
    await refusePrimary(db, site, given)
    return { domain: site.domain, ...given }
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
