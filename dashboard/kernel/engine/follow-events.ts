import type { Database } from '#dashboard/kernel/db/client.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { isNumbered, isTerminal, type StoredEvent } from '#shared/kernel/sse.ts'
import { lastEventId, listEvents } from './events.queries.ts'
import { listSteps } from './steps.queries.ts'
import { findView } from './views.queries.ts'

const PAGE_SIZE = 500
/** The interval when another dashboard may store the events, which the bus has otherwise. */
const SHARED_POLL_MS = 2_000
/** The interval for an operation that is deleted. */
const SINGLE_POLL_MS = 30_000

type Deps = Pick<CommonDeps, 'db' | 'bus' | 'clock'>

export interface EventStore {
  key: string
  list(after: number, limit: number): Promise<StoredEvent[]>
  /** Whether there are no more events; some may have expired. */
  isOver(last: number): Promise<boolean>
}

/** Returns the events after `after`, and new ones, until the terminal one or the signal. */
export async function* followEvents(
  { db, bus, clock }: Deps,
  source: EventStore,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent> {
  const pause_ms = db.is_shared ? SHARED_POLL_MS : SINGLE_POLL_MS
  for (let last = after; !signal.aborted; ) {
    using news = bus.next(source.key)
    const events = await source.list(last, PAGE_SIZE)
    for (const event of events) {
      last = event.id
      yield event
      if (isTerminal(event)) return
    }
    if (events.length === 0) {
      if (await source.isOver(last)) return
      await Promise.race([news.promise, clock.sleep(pause_ms, signal)])
    }
  }
}

/** Returns the events of one operation; with `steps`, also its steps since `after`. */
export function followOperation(
  deps: Deps,
  operation_id: string,
  { after, steps }: { after: number; steps: boolean },
  signal: AbortSignal,
): AsyncGenerator<StoredEvent> {
  const list = (last: number, limit: number) => listEvents(deps.db, operation_id, last, limit)
  const source = {
    key: operation_id,
    list: steps ? withSteps(deps.db, operation_id, after, list) : list,
    isOver: (last: number) => isOver(deps.db, operation_id, last),
  }
  return followEvents(deps, source, after, signal)
}

/** Adds the steps, which are read after the events to include those between two of them. */
function withSteps(
  db: Database,
  operation_id: string,
  after: number,
  list: EventStore['list'],
): EventStore['list'] {
  let row = 0
  return async (last, limit) => {
    const events = await list(last, limit)
    const newest = events.at(-1)?.id ?? last
    const found = await listSteps(db, operation_id, { row, after })
    const steps = found.filter(({ id }) => id <= newest)
    row = steps.at(-1)?.row ?? row
    const rank = (event: StoredEvent) => (isNumbered(event) ? 0 : 1)
    return [...events, ...steps].toSorted((a, b) => a.id - b.id || rank(a) - rank(b))
  }
}

async function isOver(db: Database, operation_id: string, last: number): Promise<boolean> {
  const operation = await findView(db, operation_id)
  if (!operation) return true
  if (operation.finished_at === null) return false
  return (await lastEventId(db, operation_id)) <= last
}
