import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { checkParams, paramsForAgent } from './params.ts'
import { checkedStatement } from './queries.ts'
import { atOnce, onServer, unchangedOtherwise } from './rule-parts.ts'

export const backupCheck: OperationRules<'backup.check'> = {
  ...onServer,
  ...atOnce,
  ...unchangedOtherwise,
  params: (deps, _, { target_id }) => checkParams(deps, target_id),
  sent: paramsForAgent,
  succeeded:
    ({ append_only }, { params, now }) =>
    (queries) => [
      checkedStatement(queries, Number(params.target_id), { checked_at: now, append_only }),
    ],
  bulk: null,
}
