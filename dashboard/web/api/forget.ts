import type { Query, QueryCache } from '@tanstack/react-query'

/** What nobody looks at is kept so long, so that the way back shows it at once. */
export const KEPT_MS = 5 * 60_000
/** And so many answers of it: of 10,000 sites each that holds a hundred is some 100 kB. */
export const MOST_KEPT = 100
/** Who leaves one page looks at the next by then: until it is drawn nobody looks at either. */
const SOON_MS = 1_000

/**
 * Lets go of the oldest answers that nobody looks at, once there are more than are to be kept: time
 * alone is no bound to who scrolls and types fast. What is to be kept for longer than usual stays.
 */
export function forgetOldest(
  cache: QueryCache,
  later = (act: () => void): void => void setTimeout(act, SOON_MS),
): void {
  let isWaiting = false
  const forget = () => {
    isWaiting = false
    const left = cache.getAll().filter(isLeft)
    const oldest = left.toSorted((one, other) => lastOf(one) - lastOf(other))
    for (const query of oldest.slice(0, -MOST_KEPT)) cache.remove(query)
  }
  cache.subscribe(({ type }) => {
    if (type !== 'observerRemoved' || isWaiting) return
    isWaiting = true
    later(forget)
  })
}

const isLeft = (query: Query) =>
  query.getObserversCount() === 0 && query.state.fetchStatus === 'idle' && query.gcTime <= KEPT_MS

const lastOf = ({ state }: Query) => Math.max(state.dataUpdatedAt, state.errorUpdatedAt)
