import { formatNumber } from '#dashboard/web/ui/format.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { OPERATION_NAMES, OPERATION_TYPES } from '#shared/operation-types.ts'
import type { BulkOperationView } from '#shared/operations/api/bulk-operations.ts'
import type { OperationView } from '#shared/operations/api/operations.ts'

/** Every type with its name, for filters. */
export const OPERATION_CHOICES = OPERATION_NAMES.map((type) => ({
  value: type,
  name: OPERATION_TYPES[type].name,
}))

/** Such as `Create shop.example`, or `Sync web-1`. */
export function operationTitle(
  operation: Pick<OperationView, 'type' | 'site_id' | 'domain' | 'server'>,
): string {
  const { type, site_id, domain, server } = operation
  return `${OPERATION_TYPES[type].title} ${site_id === null ? server : unicodeOf(domain)}`
}

/** Such as `Change tier of 40 sites`. */
export function bulkTitle(of: Pick<BulkOperationView, 'type' | 'counts'>): string {
  const { bulk, target } = OPERATION_TYPES[of.type]
  const { total } = of.counts
  return `${bulk.title} ${formatNumber(total)} ${target}${total === 1 ? '' : 's'}`
}

/** Its parameters, such as `tier large`; empty if it has none. */
export function bulkParams({ type, params }: Pick<BulkOperationView, 'type' | 'params'>): string {
  return Object.entries(OPERATION_TYPES[type].bulk.words)
    .filter(([name, words]) => words !== null && String(params[name] ?? '') !== '')
    .map(([name, words]) => `${words} ${[params[name]].flat().join(', ')}`)
    .join(', ')
}
