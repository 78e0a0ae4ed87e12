import { isNumbered, type StoredEvent } from '#shared/sse.ts'

/**
 * The events up to the first one that is missing: their numbers have no gap. A number that is there twice
 * is that of a line which the disk did not take for certain, and so nobody has seen.
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
