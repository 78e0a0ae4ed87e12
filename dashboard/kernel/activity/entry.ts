import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { sourceOf } from '#dashboard/kernel/runtime/call-source.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'

/**
 * Makes an entry of the current time and of the call that is answered: unless the values say
 * otherwise, a success without a domain.
 */
export function entryOf(
  clock: Clock,
  values: Pick<NewActivity, 'type'> & Partial<NewActivity>,
): NewActivity {
  const source = sourceOf(values.user_id)
  return { domain: '', status: 'success', created_at: timestamp(clock), ...source, ...values }
}
