import { siteOf } from '#dashboard/features/backups/rule-parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { findMove } from '#dashboard/kernel/targets/moves.queries.ts'
import { repeatableMove } from './move-rules.ts'
import { moveBackParams } from './params.ts'

export const siteMoveBack: OperationRules<'site.move-back'> = {
  ...repeatableMove,
  params: (deps, target, input) => moveBackParams(deps, siteOf(target), input),
  retry_also: async ({ db }, { site_id }) => ({
    server_id: (site_id !== null && (await findMove(db, site_id))?.other_id) || 0,
  }),
}
