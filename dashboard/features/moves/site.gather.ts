import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { moveCommand } from './moving-parts.ts'

export const siteGather: OperationRules<'site.gather'> = moveCommand
