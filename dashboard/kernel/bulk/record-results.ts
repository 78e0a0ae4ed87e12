import type { Database } from '#dashboard/kernel/db/client.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { BulkItemRow } from '#dashboard/kernel/db/rows.ts'
import { reasonOf } from '#dashboard/kernel/engine/failure-reason.ts'
import type { ErrorBody } from '#shared/kernel/errors.ts'
import {
  applyBulkChange,
  type BulkState,
  bulkStatement,
  failuresInRow,
  itemStatement,
  type StartedItem,
} from './progress.queries.ts'

type Deps = Pick<CommonDeps, 'db' | 'bus'>

interface ItemResult {
  item: BulkItemRow
  status: 'success' | 'failed' | 'cancelled'
  error: ErrorBody | null
}

/** Records the outcomes of ended operations. Returns false when none has ended. */
export async function recordEndedItems(deps: Deps, state: BulkState): Promise<boolean> {
  const results = state.started.flatMap(resultOf)
  return results.length > 0 && recordResults(deps, state, results)
}

const GONE_RESULT = { error: 'Not found', message: 'The operation was deleted with its server' }

function resultOf({ item, operation }: StartedItem): ItemResult[] {
  if (!operation) return [{ item, status: 'failed', error: GONE_RESULT }]
  const { status, error } = operation
  if (status === 'queued' || status === 'running') return []
  return [{ item, status, error }]
}

/** Records results; too many failures pause the rest. True when the state has changed. */
export async function recordResults(
  { db, bus }: Deps,
  state: BulkState,
  results: readonly ItemResult[],
): Promise<true> {
  const { bulk } = state
  const reason = await reasonToPause(db, state, results)
  const paused = { message: `Paused: ${reason}`, status: 'paused' }
  const events = [...results.map(dataOf), ...(reason === undefined ? [] : [paused])]
  await applyBulkChange(
    db,
    state,
    events.map((data) => ({ event: 'log', data })),
    (queries) => [
      ...results.map(({ item, status, error }) => itemStatement(queries, item, { status, error })),
      ...(reason === undefined
        ? []
        : [bulkStatement(queries, bulk.id, { status: 'paused', reason })]),
    ],
  )
  bus.notify(bulk.id)
  return true
}

function dataOf({ item, status, error }: ItemResult): Record<string, unknown> {
  const { position, domain, operation_id } = item
  const message = `${domain}: ${error ? reasonOf(error) : 'done'}`
  return { message, position, domain, ...(operation_id ? { operation_id } : {}), status }
}

/**
 * Returns why the bulk operation pauses after these results; undefined when it continues, because
 * enough items succeeded in between or no item waits any more.
 */
async function reasonToPause(
  db: Database,
  state: BulkState,
  results: readonly ItemResult[],
): Promise<string | undefined> {
  const { bulk, counts } = state
  const failed = results.filter(({ status }) => status === 'failed').length
  const unstarted = results.filter(({ item }) => item.status === 'waiting').length
  const last = bulk.status !== 'running' || counts.waiting === unstarted
  if (failed === 0 || last || counts.failed + failed < bulk.pause_after) return undefined
  return tooManyFailures(await failuresInRow(db, state), results, bulk.pause_after)
}

function tooManyFailures(
  before: number,
  results: readonly ItemResult[],
  most: number,
): string | undefined {
  let failures = before
  for (const { item, status, error } of results) {
    if (status === 'success') failures = 0
    if (status === 'failed') failures++
    const why = error ? reasonOf(error) : ''
    if (failures >= most) return `${failures} failures in a row, the last on ${item.domain}: ${why}`
  }
  return undefined
}
