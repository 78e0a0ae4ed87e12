import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { moveCommand } from './move-rules.ts'

export const siteCatchUp: OperationRules<'site.catch-up'> = moveCommand
