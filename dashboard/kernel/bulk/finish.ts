import type { Base } from '#dashboard/kernel/db/base.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { cancelledError, conflict, withoutCode } from '#shared/kernel/errors.ts'
import { activityEnd, advance, bulkStatement, type State } from './progress.queries.ts'

type Deps = Pick<Base, 'db' | 'bus' | 'clock'>

/** At the end: the terminal event, the outcome and the activity. */
export async function finishBulk({ db, bus, clock }: Deps, state: State): Promise<void> {
  const { id } = state.bulk
  const { status, ...event } = endOf(state)
  await advance(db, state, [event], (queries) => [
    bulkStatement(queries, id, { status, finished_at: timestamp(clock) }),
    activityEnd(queries, id, status),
  ])
  bus.notify(id)
}

function endOf({ bulk, counts }: State) {
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
