import type { Query, QueryCache } from '@tanstack/react-query'

/** Unused answers are kept for this time, so that Back shows them at once. */
export const CACHE_MS = 5 * 60_000
/** The maximum number of unused answers: a page of a hundred sites has about 100 kB. */
export const MAX_UNUSED = 100
/** After this time the next page is drawn: until then, neither page uses its answers. */
const SOON_MS = 1_000

/**
 * Removes the oldest unused answers when there are too many: time alone does not limit a user who
 * scrolls and types fast. Answers with a longer lifetime stay.
 */
export function limitCache(
  cache: QueryCache,
  later = (act: () => void): void => void setTimeout(act, SOON_MS),
): void {
  let isWaiting = false
  const forget = () => {
    isWaiting = false
    const unused = cache.getAll().filter(isUnused)
    const oldest = unused.toSorted((one, other) => lastOf(one) - lastOf(other))
    for (const query of oldest.slice(0, -MAX_UNUSED)) cache.remove(query)
  }
  cache.subscribe(({ type }) => {
    if (type !== 'observerRemoved' || isWaiting) return
    isWaiting = true
    later(forget)
  })
}

const isUnused = (query: Query) =>
  query.getObserversCount() === 0 && query.state.fetchStatus === 'idle' && query.gcTime <= CACHE_MS

const lastOf = ({ state }: Query) => Math.max(state.dataUpdatedAt, state.errorUpdatedAt)
