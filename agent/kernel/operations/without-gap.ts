import { isNumbered, type StoredEvent } from '#shared/kernel/sse.ts'

/**
 * The events before the first gap of their numbers. A repeated number belongs to a line whose write
 * was uncertain, so nobody has seen it.
 */
export function withoutGap(events: readonly StoredEvent[]): StoredEvent[] {
  const found: StoredEvent[] = []
  let last = 0
  for (const event of events) {
    if (event.id > (isNumbered(event) ? last + 1 : last)) break
    const first = found.findIndex((other) => isNumbered(other) && other.id >= event.id)
    if (isNumbered(event) && first >= 0) found.splice(first)
    found.push(event)
    last = event.id
  }
  return found
}
