import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { paramsForAgent, proveParams } from './params.ts'
import { proofStatement } from './proofs.queries.ts'
import { onSite, siteOf, unchangedOtherwise, whenOnline } from './rule-parts.ts'

/** The rules of a proof, which leaves the site alone: nothing has to wait for it. */
export const backupProve: OperationRules<'backup.prove'> = {
  ...onSite,
  ...unchangedOtherwise,
  ...whenOnline,
  params: async (deps, target, { backup_id }) => {
    const { id, domain } = siteOf(target)
    return { domain, ...(await proveParams(deps, id, backup_id)) }
  },
  sent: (params, sealer, with_password) => {
    const { backup_id: _, ...rest } = paramsForAgent(params, sealer, with_password)
    return rest
  },
  succeeded:
    ({ proof }, { params, now: recorded_at }) =>
    (queries, { site_id, server_id }) => {
      const { backup: _, core: __, seconds, ...report } = proof
      const row = { ...report, site_id, server_id, recorded_at, seconds: Math.round(seconds) }
      return [proofStatement(queries, { ...row, backup_id: Number(params.backup_id) })]
    },
  bulk: null,
}
