import { moveParams } from '#dashboard/moves/params.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { executedHere } from './moving-parts.ts'

export const siteMove: OperationRules<'site.move'> = {
  ...executedHere,
  params: moveParams,
}
