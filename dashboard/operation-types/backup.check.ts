import type { OperationRules } from '#dashboard/operations/rules.ts'
import { checkParams, unsealed } from '#dashboard/site-backups/params.ts'
import { checkedStatement } from '#dashboard/site-backups/queries.ts'
import { atOnce, onServer, unchangedOtherwise } from './parts.ts'

export const backupCheck: OperationRules<'backup.check'> = {
  ...onServer,
  ...atOnce,
  ...unchangedOtherwise,
  params: (deps, _, { target_id }) => checkParams(deps, target_id),
  sent: unsealed,
  succeeded:
    ({ append_only }, { params, now }) =>
    (queries) => [
      checkedStatement(queries, Number(params.target_id), { checked_at: now, append_only }),
    ],
  bulk: null,
}
