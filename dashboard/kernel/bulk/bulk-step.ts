import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { BulkItemRow } from '#dashboard/kernel/db/rows.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import {
  type CancelDeps,
  cancelOperation,
} from '#dashboard/kernel/engine/cancel/cancel-operation.ts'
import {
  getOperation,
  isExcluded,
  type NewOperation,
  operationStatements,
} from '#dashboard/kernel/engine/queries.ts'
import { rulesOf } from '#dashboard/kernel/engine/rules.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import {
  bodyOf,
  cancelledError,
  conflict,
  type ErrorBody,
  ServiceError,
  withoutCode,
} from '#shared/kernel/errors.ts'
import { type PrepareDeps, prepareItem } from './prepare-item.ts'
import {
  activityEnd,
  applyBulkChange,
  type BulkState,
  bulkStatement,
  itemStatement,
  readBulkState,
} from './progress.queries.ts'
import { recordEndedItems, recordResults } from './record-results.ts'
import { listStartable } from './startable.queries.ts'

export type BulkStepDeps = PrepareDeps & CancelDeps

/** The limit of the load of one server with many selected sites. */
const MAX_PER_SERVER = 2

/** Runs one step of a bulk operation. `idle`: it waits. `over`: it has ended or was deleted. */
export async function runBulkStep(
  deps: BulkStepDeps,
  id: string,
): Promise<'again' | 'idle' | 'over'> {
  const state = await readBulkState(deps.db, id)
  if (!state || state.bulk.finished_at !== null) return 'over'
  if (await recordEndedItems(deps, state)) return 'again'
  if (state.bulk.status === 'cancelled') await cancelStarted(deps, state)
  if (state.bulk.status === 'running' && (await startItems(deps, state))) return 'again'
  if (state.started.length > 0 || state.counts.waiting > 0) return 'idle'
  await finishBulk(deps, state)
  return 'again'
}

async function cancelStarted(deps: BulkStepDeps, { bulk, started }: BulkState): Promise<void> {
  const running = started.flatMap(({ operation }) =>
    operation && operation.cancel === null ? [operation.id] : [],
  )
  for (const id of running) await cancelQuietly(deps, id, bulk.actor)
}

async function cancelQuietly(deps: BulkStepDeps, id: string, actor: number | null): Promise<void> {
  try {
    await cancelOperation(deps, id, { mode: 'graceful', actor })
  } catch (error) {
    // It has ended meanwhile or was deleted: the next step handles it.
    if (!(error instanceof ServiceError)) throw error
  }
}

/** Starts as many waiting items as the limits allow. Returns true after a change. */
async function startItems(deps: BulkStepDeps, state: BulkState): Promise<boolean> {
  const items = await startable(deps, state)
  const prepared = await Promise.all(items.map((item) => prepareStartable(deps, state, item)))
  let { last } = state
  for (const { item, operation, error } of prepared) {
    if (!operation)
      return recordResults(deps, { ...state, last }, [{ item, status: 'failed', error }])
    const result = await startItem(deps, { ...state, last }, item, operation)
    if (result === 'late') return true
    if (result === 'started') last++
    if (result === 'refused')
      return recordResults(deps, { ...state, last }, [
        { item, status: 'failed', error: NAME_TAKEN_TEXT },
      ])
  }
  return last > state.last
}

async function startable(deps: BulkStepDeps, { bulk, started }: BulkState): Promise<BulkItemRow[]> {
  const limit = bulk.parallel - started.length
  if (limit <= 0) return []
  const busy = new Map<number, number>()
  const take = ({ server_id }: BulkItemRow) => {
    const there = (busy.get(server_id) ?? 0) + 1
    busy.set(server_id, there)
    return there <= MAX_PER_SERVER
  }
  for (const { item } of started) take(item)
  const full = [...busy].flatMap(([id, there]) => (there >= MAX_PER_SERVER ? [id] : []))
  return (await listStartable(deps.db, bulk, { full, limit })).filter(take)
}

type PreparedItem =
  | { item: BulkItemRow; operation: NewOperation; error: null }
  | { item: BulkItemRow; operation: undefined; error: ErrorBody }

async function prepareStartable(
  deps: BulkStepDeps,
  { bulk }: BulkState,
  item: BulkItemRow,
): Promise<PreparedItem> {
  try {
    return { item, operation: await prepareItem(deps, bulk, item), error: null }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { item, operation: undefined, error: bodyOf(error) }
  }
}

const NAME_TAKEN_TEXT = conflict(
  'The server has a site of this name: remove one of them first',
).body

/**
 * Starts an item. `late`: the state has changed meanwhile. `taken`: the site has another operation;
 * it waits. `refused`: a constraint of the sites refuses it.
 */
async function startItem(
  deps: BulkStepDeps,
  state: BulkState,
  item: BulkItemRow,
  operation: NewOperation,
): Promise<'started' | 'late' | 'taken' | 'refused'> {
  const { db, worker } = deps
  const { position, domain, site_id } = item
  const { id: operation_id, type } = operation
  const facts = { position, domain, operation_id, status: 'running' }
  const event = { event: 'log', data: { message: `${domain} begins`, ...facts } } as const
  const advanced = await applyBulkChange(db, state, [event], (queries) => [
    ...operationStatements(queries, operation, site_id),
    ...rulesOf(deps, type).during(queries, { ...operation, site_id }, operation.created_at),
    itemStatement(queries, item, { status: 'running', operation_id }),
  ]).catch((error: unknown) => {
    if (isExcluded(error)) return 'taken' as const
    if (violatesUnique(error, 'sites.')) return 'refused' as const
    throw error
  })
  if (advanced === 'taken' || advanced === 'refused') return advanced
  if (!advanced) return 'late'
  worker.start(await getOperation(db, operation_id))
  return 'started'
}

type Deps = Pick<CommonDeps, 'db' | 'bus' | 'clock'>

async function finishBulk({ db, bus, clock }: Deps, state: BulkState): Promise<void> {
  const { id } = state.bulk
  const { status, ...event } = bulkEndOf(state)
  await applyBulkChange(db, state, [event], (queries) => [
    bulkStatement(queries, id, { status, finished_at: timestamp(clock) }),
    activityEnd(queries, id, status),
  ])
  bus.notify(id)
}

function bulkEndOf({ bulk, counts }: BulkState) {
  const { success, failed, cancelled } = counts
  const total = success + failed + cancelled
  if (bulk.status === 'cancelled')
    return {
      status: 'cancelled',
      event: 'error',
      data: withoutCode(cancelledError().body),
    } as const
  if (success === total) {
    const data = { status: 'ok', total, success, failed, cancelled }
    return { status: 'success', event: 'complete', data } as const
  }
  const left = cancelled > 0 ? `, ${cancelled} cancelled` : ''
  const data = { ...conflict(`${failed} of ${total} failed${left}`).body }
  return { status: 'failed', event: 'error', data } as const
}
