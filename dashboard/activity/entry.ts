import type { NewActivity } from '#dashboard/db/rows.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'

/** An entry of the current time: unless the values say otherwise, a success without a domain. */
export function entryOf(
  clock: Clock,
  values: Pick<NewActivity, 'type'> & Partial<NewActivity>,
): NewActivity {
  return { domain: '', status: 'success', created_at: timestamp(clock), ...values }
}
