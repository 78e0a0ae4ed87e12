import type { Database } from '#dashboard/db/client.ts'
import type { Bus } from '#dashboard/runtime/bus.ts'
import type { Clock } from '#dashboard/runtime/clock.ts'
import { isTerminal, type StoredEvent } from '#shared/sse.ts'
import { lastEventId, listEvents } from './progress.queries.ts'
import { findView } from './queries.ts'

const PAGE = 500
/** Another dashboard on the same database may be the one that stores the events. */
const POLL_MS = 2_000

interface Deps {
  db: Database
  bus: Bus
  clock: Clock
}

/** Where numbered events are stored. */
export interface Source {
  /** The bus topic for new events. */
  key: string
  list(after: number, limit: number): Promise<StoredEvent[]>
  /** Over: gone, or past its last event, of which some may be beyond their age. */
  isOver(last: number): Promise<boolean>
}

/** The stored events after `after`, then those to come; ends with the terminal one or the signal. */
export async function* followSource(
  { bus, clock }: Pick<Deps, 'bus' | 'clock'>,
  source: Source,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent> {
  for (let last = after; !signal.aborted; ) {
    const news = bus.next(source.key)
    const events = await source.list(last, PAGE)
    for (const event of events) {
      last = event.id
      yield event
      if (isTerminal(event)) return news.cancel()
    }
    if (events.length === 0) {
      if (await source.isOver(last)) return news.cancel()
      await Promise.race([news.promise, clock.sleep(POLL_MS, signal)])
    }
    news.cancel()
  }
}

/** The events of one operation. */
export function follow(
  deps: Deps,
  operation_id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent> {
  const source = {
    key: operation_id,
    list: (last: number, limit: number) => listEvents(deps.db, operation_id, last, limit),
    isOver: (last: number) => isOver(deps.db, operation_id, last),
  }
  return followSource(deps, source, after, signal)
}

async function isOver(db: Database, operation_id: string, last: number): Promise<boolean> {
  const operation = await findView(db, operation_id)
  if (!operation) return true
  if (operation.finished_at === null) return false
  return (await lastEventId(db, operation_id)) <= last
}
