import type { Database } from './client.ts'
import type { DatabaseVersion } from './database-version.ts'

interface CachedValue<T> {
  version: DatabaseVersion
  at: number
  value: Promise<T>
}

/**
 * Caches a value that is computed from the records once for all that ask for it until they change,
 * and at most every `for_ms`: for values in which the time of day counts a little. A clock that was
 * set back makes no value of a later time valid.
 */
export function cachedValue<D extends { db: Pick<Database, 'version'> }, T>(
  compute: (deps: D, now: Date) => Promise<T>,
  for_ms: number,
): (deps: D, now: Date) => Promise<T> {
  const known = new WeakMap<D['db'], CachedValue<T>>()
  return async (deps, now) => {
    const version = await deps.db.version()
    if (version === undefined) return compute(deps, now)
    const kept = known.get(deps.db)
    const age = now.getTime() - (kept?.at ?? 0)
    if (kept?.version === version && age >= 0 && age < for_ms) return kept.value
    const one = { version, at: now.getTime(), value: compute(deps, now) }
    known.set(deps.db, one)
    one.value.catch(() => {
      if (known.get(deps.db) === one) known.delete(deps.db)
    })
    return one.value
  }
}
