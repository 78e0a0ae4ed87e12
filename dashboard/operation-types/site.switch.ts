import type { OperationRules } from '#dashboard/operations/rules.ts'
import { partOfMove } from './moving-parts.ts'

export const siteSwitch: OperationRules<'site.switch'> = partOfMove
