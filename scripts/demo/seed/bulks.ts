import { batch, type Database } from '#dashboard/kernel/db/client.ts'
import type { BulkItemRow, BulkRow, NewActivity, OperationRow } from '#dashboard/kernel/db/rows.ts'
import { bulk_events, bulk_items, bulk_operations } from '#dashboard/kernel/db/schema.ts'
import { reasonOf } from '#dashboard/kernel/engine/failure-reason.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import { isOffline, isServed, type ServerPlan } from '#scripts/demo/fleet/plan.ts'
import { HOUR_MS, stamp } from '#scripts/demo/time.ts'
import { type ErrorBody, invalid } from '#shared/kernel/errors.ts'
import { ACTOR, insertRecorded, type Recorder } from './history.ts'
import { type Place, placesOf, type Story } from './stories.ts'

type Event = typeof bulk_events.$inferInsert
type Item = BulkItemRow & { operation: OperationRow | undefined }

const PAUSE_AFTER = 3

/** Stores two bulk operations: one completed, and one that paused after failures. */
export async function fillBulks(
  db: Database,
  fleet: Fleet,
  { record, now }: { record: Recorder; now: number },
): Promise<NewActivity[]> {
  const usable = placesOf(fleet.plan).filter(isUsable)
  const { true: having = [], false: without = [] } = Object.groupBy(
    usable.slice(24),
    ({ server }) => `${server.php.includes(NEWER)}` as const,
  )
  const purge: Bulk = { type: 'cache.purge', kind: 'purged', params: {}, at: 50 * HOUR_MS }
  const done = await fillBulk(db, purge, usable.slice(0, 24), { record, now })
  const first = without.slice(0, PAUSE_AFTER)
  if (first.length < PAUSE_AFTER) return done
  const move: Bulk = {
    ...{ type: 'site.update', kind: 'updated', params: { php: NEWER }, at: 0.7 * HOUR_MS },
    refused: first.map(({ server }) => refusalOf(server)),
  }
  const few = [...first, ...having.slice(0, 12)]
  return [...done, ...(await fillBulk(db, move, few, { record, now }))]
}

const isUsable = ({ server, site: { plan } }: Place) =>
  !isOffline(server) && isServed(plan) && plan.tls === 'letsencrypt' && !plan.unresolved

const NEWER = '8.3'

/** Returns the messages: starts and results of items, and the end or the pause of all. */
const refusalOf = ({ php }: ServerPlan): ErrorBody =>
  invalid({ php: [`The server has PHP ${[...php].sort().join(', ')}`] }).body

interface Bulk extends Pick<Story, 'kind' | 'at'> {
  type: 'cache.purge' | 'site.update'
  params: Record<string, unknown>
  /** The first of them were refused; then it paused. */
  refused?: readonly ErrorBody[]
}

async function fillBulk(
  db: Database,
  bulk: Bulk,
  places: readonly Place[],
  { record, now }: { record: Recorder; now: number },
): Promise<NewActivity[]> {
  if (places.length === 0) return []
  const { type, params, kind, at, refused } = bulk
  const id = `bulk-of-${type.replace('.', '-')}`.padEnd(22, '-')
  const recorded = (refused ? [] : places).map((place, turn) => {
    const own = { domain: place.site.plan.domain, ...params }
    return record({ ...place, type, kind, params: own, at: at - turn * 4_000 })
  })
  const items = places.map(({ server_id, site }, place): Item => {
    const operation = recorded[place]?.operation
    return {
      ...{ bulk_id: id, position: place + 1, server_id, site_id: site.id, operation },
      domain: site.plan.domain,
      status: operation ? 'success' : refused?.[place] ? 'failed' : 'waiting',
      operation_id: operation?.id ?? null,
      error: refused?.[place] ?? null,
    }
  })
  const created_at = stamp(now - at)
  const row = { ...outcomeOf(items), id, type, params, parallel: 4, actor: ACTOR, created_at }
  const activities = await insertRecorded(db, recorded)
  await db.write((queries) =>
    batch(queries, [
      queries.insert(bulk_operations).values({ ...row, pause_after: PAUSE_AFTER }),
      queries.insert(bulk_items).values(items.map(({ operation: _, ...item }) => item)),
      queries.insert(bulk_events).values(eventsOf(row, items)),
    ]),
  )
  const entry = { type: 'bulk.create', domain: '', operation_id: id, user_id: ACTOR, created_at }
  return [...activities, { ...entry, status: row.finished_at ? 'success' : 'running' }]
}

type Outcome = Pick<BulkRow, 'status' | 'reason' | 'finished_at'>

function outcomeOf(items: readonly Item[]): Outcome {
  const last = items.findLast(({ status }) => status !== 'waiting')
  if (!last?.error)
    return { status: 'success', reason: '', finished_at: last?.operation?.finished_at ?? null }
  const reason = `${PAUSE_AFTER} failures in a row, the last on ${last.domain}: ${reasonOf(last.error)}`
  return { status: 'paused', reason, finished_at: null }
}

/**
 * Returns the dashboard's messages: starts and results of items, and the end or the pause of all.
 */
function eventsOf(
  { id, type, status, reason }: Outcome & { id: string; type: string },
  items: readonly Item[],
): Event[] {
  const begins = { message: `${type} of ${items.length} sites begins`, status: 'running' }
  const lines = items.flatMap(({ operation, domain, position, status: how, error }) => {
    if (how === 'waiting') return []
    const facts = { position, domain, ...(operation && { operation_id: operation.id }) }
    const ended = `${domain}: ${error ? reasonOf(error) : 'done'}`
    return [
      ...(operation ? [{ message: `${domain} begins`, ...facts, status: 'running' }] : []),
      { message: ended, ...facts, status: how },
    ]
  })
  const paused = status === 'paused' ? [{ message: `Paused: ${reason}`, status }] : []
  const logs = [begins, ...lines, ...paused].map(
    (data, at): Event => ({ bulk_id: id, id: at + 1, event: 'log', data }),
  )
  if (status === 'paused') return logs
  const total = items.length
  const data = { status: 'ok', total, success: total, failed: 0, cancelled: 0 }
  return [...logs, { bulk_id: id, id: logs.length + 1, event: 'complete', data }]
}
