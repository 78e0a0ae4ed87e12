import { clearsCaches } from '#dashboard/features/domains/dns/purge.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'

export const cachePurge: OperationRules<'cache.purge'> = clearsCaches
