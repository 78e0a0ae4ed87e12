import type { z } from 'zod'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Base } from '#dashboard/kernel/db/base.ts'
import { type RulesTable, rulesOf } from '#dashboard/kernel/engine/rules.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { conflict, fieldsOf, invalid } from '#shared/kernel/errors.ts'
import { type BulkType, OPERATION_TYPES } from '#shared/operation-types.ts'
import type {
  BulkAsks,
  BulkOperationView,
  CreateBulkOperation,
} from '#shared/operations/api/bulk-operations.ts'
import { type AskDeps, mustAccept } from './must-accept.ts'
import { listUnsuccessful } from './progress.queries.ts'
import { getBulkView, insertBulk } from './queries.ts'
import type { BulkRunner } from './runner.ts'
import { refuseNone, type Selected, selectTargets } from './select-targets.ts'

export interface BulkDeps extends AskDeps, Pick<Base, 'db' | 'clock' | 'random'> {
  bulks: BulkRunner
  types: RulesTable
}

/** With `dry_run` only the selection. */
export type BulkAnswer =
  | (Selected & { must_accept?: BulkAsks })
  | { bulk_operation: BulkOperationView }

/** Starts an operation on each target, or returns them. `origin`: our address for servers. */
export async function createBulk(
  deps: BulkDeps,
  input: z.output<typeof CreateBulkOperation>,
  { actor, origin }: { actor: number; origin: string },
): Promise<BulkAnswer> {
  const { dry_run, with_asks, ...call } = input
  const { type, parallel, pause_after } = call
  const own = rulesOf(deps, type).bulk?.started_by
  if (own) throw invalid({ type: [`Is started by ${own}`] })
  const more = rulesOf(deps, type).bulk?.stores_origin ? { origin } : {}
  const params = { ...paramsOf(type, call.params ?? {}), ...more }
  const selected = await selectTargets(deps, type, call.targets)
  if (dry_run && with_asks) {
    const must_accept = await mustAccept(deps, { type, params, actor }, selected.targets)
    return { ...selected, must_accept }
  }
  if (dry_run) return selected
  refuseNone(selected)
  const values = { type, params, parallel, pause_after, actor }
  return { bulk_operation: await beginBulk(deps, values, selected) }
}

/** A new bulk operation for failed and cancelled items, or their selection. 409 for none. */
export async function retryBulk(
  deps: BulkDeps,
  bulk: BulkOperationView,
  { actor, dry_run }: { actor: number; dry_run: boolean },
): Promise<BulkAnswer> {
  const { type, params, parallel, pause_after, finished_at } = bulk
  if (finished_at === null) throw conflict('The bulk operation is running')
  const left = await listUnsuccessful(deps.db, bulk.id)
  if (left.length === 0) throw conflict('The bulk operation succeeded')
  const targets = left.map(({ server_id, site_id, domain }) => ({ server_id, site_id, domain }))
  const selected = { targets, skipped: [] }
  if (dry_run) return selected
  const values = { type, params, parallel, pause_after, actor }
  return { bulk_operation: await beginBulk(deps, values, selected) }
}

type NewBulk = Pick<BulkOperationView, 'type' | 'params' | 'parallel' | 'pause_after'> & {
  actor: number
}

export async function beginBulk(
  { db, clock, random, bulks }: Pick<BulkDeps, 'db' | 'clock' | 'random' | 'bulks'>,
  values: NewBulk,
  { targets, skipped }: Selected,
): Promise<BulkOperationView> {
  const id = randomText(random, 16)
  const created_at = timestamp(clock)
  const start = { id, status: 'running', reason: '', created_at, finished_at: null } as const
  const what = targets[0]?.site_id === null ? 'servers' : 'sites'
  const left = skipped.length > 0 ? `, ${skipped.length} skipped` : ''
  const message = `${values.type} of ${targets.length} ${what} begins${left}`
  const entry = { type: 'bulk.create', status: 'running', operation_id: id } as const
  const activity = entryOf(clock, { ...entry, user_id: values.actor, created_at })
  await insertBulk(db, { ...values, ...start }, { targets, skipped }, { message, activity })
  bulks.start(id)
  return getBulkView(db, id)
}

/** 422 on the fields themselves, or on `params`. */
function paramsOf(type: BulkType, value: unknown): Record<string, unknown> {
  const result = OPERATION_TYPES[type].bulk.params.safeParse(value)
  if (result.success) return result.data
  const { body, ...fields } = fieldsOf(result.error.issues)
  throw invalid({ ...fields, ...(body ? { params: body } : {}) })
}
