import type { OperationRules } from '#dashboard/operations/rules.ts'
import { restoreParams, unsealed } from '#dashboard/site-backups/params.ts'
import { restoreStatements } from '#dashboard/site-backups/restores.queries.ts'
import { atOnce, onSite, siteOf, unchangedOtherwise } from './parts.ts'

export const backupRestore: OperationRules<'backup.restore'> = {
  ...onSite,
  ...atOnce,
  ...unchangedOtherwise,
  params: async (deps, target, { backup_id, parts }) => {
    const { id, domain } = siteOf(target)
    return { domain, parts, ...(await restoreParams(deps, id, backup_id)) }
  },
  sent: unsealed,
  succeeded:
    ({ at, until }) =>
    (queries, { site_id }) =>
      site_id === null
        ? []
        : restoreStatements(queries, site_id, { at, until, cause: 'backup.restore' }),
  bulk: null,
}
