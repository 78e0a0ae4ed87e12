import type { Database } from '#dashboard/db/client.ts'
import type { OperationRow } from '#dashboard/db/rows.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'
import type { ErrorBody } from '#shared/errors.ts'
import type { StoredEvent } from '#shared/sse.ts'
import type { Bus } from './bus.ts'
import { failureEffect, type Success } from './effects.ts'
import type { Outcome } from './job.ts'
import { finishOperation, lastEventId } from './progress/queries.ts'

interface Deps {
  db: Database
  bus: Bus
  clock: Clock
}

/** `pending`: events that are not stored yet, in order; the terminal event gets the next number. */
export async function succeed(
  { db, bus, clock }: Deps,
  operation: OperationRow,
  { data, effect }: Success,
  pending: readonly StoredEvent[] = [],
): Promise<Outcome> {
  const id = await nextId(db, operation.id, pending)
  await finishOperation(db, {
    operation,
    status: 'success',
    error: null,
    finished_at: timestamp(clock),
    events: [...pending, { id, event: 'complete', data }],
    effect,
  })
  bus.notify(operation.id)
  return { status: 'success', data }
}

export async function fail(
  { db, bus, clock }: Deps,
  operation: OperationRow,
  error: ErrorBody,
  pending: readonly StoredEvent[] = [],
): Promise<Outcome> {
  const id = await nextId(db, operation.id, pending)
  await finishOperation(db, {
    operation,
    status: 'failed',
    error,
    finished_at: timestamp(clock),
    events: [...pending, { id, event: 'error', data: { ...error } }],
    effect: failureEffect(operation, error),
  })
  bus.notify(operation.id)
  return { status: 'failed', error }
}

async function nextId(db: Database, operation_id: string, pending: readonly StoredEvent[]) {
  return (pending.at(-1)?.id ?? (await lastEventId(db, operation_id))) + 1
}
