import type { OperationRules } from '#dashboard/operations/rules.ts'
import { partOfMove } from './moving-parts.ts'

export const siteCatchUp: OperationRules<'site.catch-up'> = partOfMove
