import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { moveCommand } from './moving-parts.ts'

export const siteSwitch: OperationRules<'site.switch'> = moveCommand
