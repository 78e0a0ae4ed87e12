import { clearsCaches } from '#dashboard/features/domains/dns/purge.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'

export const wpCacheFlush: OperationRules<'wp.cache-flush'> = clearsCaches
