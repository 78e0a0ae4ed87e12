import type { Database } from '#dashboard/kernel/db/client.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { type ErrorBody, isCancelled, withoutCode } from '#shared/kernel/errors.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { findEnd, lastEventId } from './events.queries.ts'
import { reasonOf } from './failure-reason.ts'
import type { Outcome } from './operation-handle.ts'
import type { ParsedResult } from './parse-result.ts'
import { finishOperation } from './progress.queries.ts'
import { findOperation } from './queries.ts'
import { type RecordChange, type RulesTable, rulesOf } from './rules.ts'

type Deps = Pick<CommonDeps, 'db' | 'bus' | 'clock'>

/** Stores a success after the `pending` events, which are not stored yet. */
export function storeSuccess(
  deps: Deps,
  operation: OperationRow,
  { data, change, warnings = [] }: ParsedResult,
  pending: readonly StoredEvent[] = [],
): Promise<Outcome> {
  return storeEnd(deps, operation, { status: 'success', data }, { change, pending, warnings })
}

/** Stores a failure: `cancelled` if the error says so and that was requested, else `failed`. */
export async function storeFailure(
  deps: Deps & { types: RulesTable },
  operation: OperationRow,
  error: ErrorBody,
  pending: readonly StoredEvent[] = [],
): Promise<Outcome> {
  const rules = rulesOf(deps, operation.type)
  const change = rules[isCancelled(error) ? 'cancelled' : 'failed'](reasonOf(error))
  return storeEnd(deps, operation, { status: 'failed', error }, { change, pending })
}

/** Returns the outcome of an operation from its records; undefined while it runs. */
export async function storedOutcome(
  db: Database,
  { id, status, error }: OperationRow,
): Promise<Outcome | undefined> {
  if (status === 'queued' || status === 'running') return undefined
  if (status === 'success') return { status, data: (await findEnd(db, id))?.data ?? {} }
  return { status: 'failed', error: error ?? { error: 'Internal error' } }
}

interface EndParts {
  change: RecordChange
  pending: readonly StoredEvent[]
  warnings?: Warning[]
}

/** Stores the end of an operation. The first end counts: an existing one is the outcome. */
async function storeEnd(
  { db, bus, clock }: Deps,
  operation: OperationRow,
  outcome: Outcome,
  { change, pending, warnings = [] }: EndParts,
): Promise<Outcome> {
  const id = (pending.at(-1)?.id ?? (await lastEventId(db, operation.id))) + 1
  const end = terminalEvent(outcome, id)
  const error = outcome.status === 'failed' ? outcome.error : null
  const finished_at = timestamp(clock)
  const events = [...pending, end]
  try {
    await finishOperation(db, { operation, error, warnings, finished_at, events, change })
  } catch (cause) {
    const first = await earlierEnd(db, operation, cause)
    if (!first) throw cause
    return first
  } finally {
    bus.notify(operation.id)
  }
  return outcome
}

function terminalEvent(outcome: Outcome, id: number): StoredEvent {
  if (outcome.status === 'success') return { id, event: 'complete', data: outcome.data }
  return { id, event: 'error', data: withoutCode(outcome.error) }
}

async function earlierEnd(db: Database, { id }: OperationRow, cause: unknown) {
  if (!violatesUnique(cause, 'operation_events.')) return undefined
  const current = await findOperation(db, id)
  return current && storedOutcome(db, current)
}
