import type { BulkTargets } from '#shared/api/bulk-operations.ts'
import type { BulkType, SiteBulkType } from '#shared/operation-types/index.ts'
import { call } from './client.ts'

/** Of sites, by their ids. */
export interface SitesBulk {
  type: SiteBulkType
  params: Record<string, unknown>
  site_ids: readonly number[]
}

/** The targets, and those that are skipped. */
export async function planBulk({ type, params, site_ids }: SitesBulk) {
  const body = { type, params, targets: { site_ids }, dry_run: true }
  const answer = await call('POST /api/bulk-operations', { body })
  return 'targets' in answer ? answer : { targets: [], skipped: [] }
}

/** Starts it; returns the id of the bulk operation. */
export async function beginBulk({ type, params, site_ids }: SitesBulk, parallel: number) {
  const body = { type, params, targets: { site_ids }, parallel }
  const answer = await call('POST /api/bulk-operations', { body })
  if (!('bulk_operation' in answer)) throw new Error('The dashboard answered with a plan')
  return answer.bulk_operation.id
}

/** The targets, and what Hosting Control did not create but each of them would change. */
export async function planAsks(type: BulkType, params: object, targets: Partial<BulkTargets>) {
  const body = { type, params, targets, dry_run: true, with_asks: true }
  const answer = await call('POST /api/bulk-operations', { body })
  return 'targets' in answer ? answer.must_accept : undefined
}
