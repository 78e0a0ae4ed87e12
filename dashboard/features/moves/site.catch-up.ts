import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { partOfMove } from './moving-parts.ts'

export const siteCatchUp: OperationRules<'site.catch-up'> = partOfMove
