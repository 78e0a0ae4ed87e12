import { allChanges } from '#dashboard/kernel/engine/record-changes.queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { paramsForAgent, restoreParams } from './params.ts'
import { endedRequest } from './restore-requests.queries.ts'
import { replacedBy, siteCall, siteOf } from './rule-parts.ts'

export const backupRestore: OperationRules<'backup.restore'> = {
  ...siteCall,
  params: async (deps, target, { backup_id, parts }) => {
    const { id, domain } = siteOf(target)
    return { domain, parts, ...(await restoreParams(deps, id, backup_id)) }
  },
  sent: paramsForAgent,
  succeeded: (report) =>
    allChanges(replacedBy('backup.restore')(report), (queries, { site_id }) =>
      site_id === null ? [] : [endedRequest(queries, site_id)],
    ),
  bulk: null,
}
