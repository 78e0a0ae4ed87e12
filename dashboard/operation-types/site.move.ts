import { moveParams } from '#dashboard/moves/params.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { repeatable } from './moving-parts.ts'

export const siteMove: OperationRules<'site.move'> = {
  ...repeatable,
  params: moveParams,
}
