import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { moveCommand } from './move-rules.ts'

export const siteReceive: OperationRules<'site.receive'> = moveCommand
