import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { partOfMove } from './moving-parts.ts'

export const siteGather: OperationRules<'site.gather'> = partOfMove
