import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { repeatableMove } from './move-rules.ts'
import { moveParams } from './params.ts'

export const siteMove: OperationRules<'site.move'> = {
  ...repeatableMove,
  params: moveParams,
  retry_also: (_, { params }) => ({ server_id: Number(params.server_id) }),
}
