import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { partOfMove } from './moving-parts.ts'

export const siteReceive: OperationRules<'site.receive'> = partOfMove
