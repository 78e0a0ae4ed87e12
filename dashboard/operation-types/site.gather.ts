import type { OperationRules } from '#dashboard/operations/rules.ts'
import { partOfMove } from './moving-parts.ts'

export const siteGather: OperationRules<'site.gather'> = partOfMove
