import type { OperationRules } from '#dashboard/operations/rules.ts'
import { partOfMove } from './moving-parts.ts'

export const siteReceive: OperationRules<'site.receive'> = partOfMove
