import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { BackupExcludes } from '#shared/backups/backup-exclude.ts'
import { presentStatements } from './missing-backups.queries.ts'
import { createParams, paramsForAgent } from './params.ts'
import { backupStatements } from './queries.ts'
import { bulkInUse, onSite, siteOf, unchangedOtherwise, whenOnline } from './rule-parts.ts'

/** The recorded params have the secrets of the target sealed: only the agent gets them. */
export const backupCreate: OperationRules<'backup.create'> = {
  ...onSite,
  ...unchangedOtherwise,
  ...whenOnline,
  ...bulkInUse,
  params: async (deps, target, { target_id }) => {
    const site = siteOf(target)
    return { domain: site.domain, ...(await createParams(deps, site, target_id)) }
  },
  sent: (params, sealer, with_password) => {
    const { kit_id: _, ...rest } = paramsForAgent(params, sealer, with_password)
    return rest
  },
  succeeded:
    ({ domain, backup, sealed_password, present }, { params, now: recorded_at }) =>
    (queries, { site_id, server_id }) => {
      const { id: snapshot, repository, seconds, ...counts } = backup
      const [target_id, kit_id] = [Number(params.target_id), Number(params.kit_id)]
      const excluded = BackupExcludes.parse(params.exclude ?? [])
      const row = {
        ...counts,
        site_id,
        server_id,
        domain,
        target_id,
        repository,
        snapshot,
        excluded,
      }
      const list = present && { target_id, repository, present, now: recorded_at }
      return [
        ...backupStatements(
          queries,
          { ...row, recorded_at, seconds: Math.round(seconds) },
          { target_id, name: repository, kit_id, sealed_password },
        ),
        ...(list ? presentStatements(queries, list) : []),
      ]
    },
}
