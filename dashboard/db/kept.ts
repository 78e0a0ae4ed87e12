import type { Database } from './client.ts'

interface Kept<T> {
  substance: string
  at: number
  value: Promise<T>
}

/**
 * A value that is computed from the records without readings, once for all that ask for it until they
 * change, and at most every `for_ms`: for values in which the time of day counts a little. A clock that was
 * set back makes no value of a later time valid.
 */
export function keptValue<D extends Pick<Database, 'askVersion'>, T>(
  compute: (db: D, now: Date) => Promise<T>,
  for_ms: number,
): (db: D, now: Date) => Promise<T> {
  const known = new WeakMap<D, Kept<T>>()
  return async (db, now) => {
    const version = await db.askVersion()
    if (version === undefined) return compute(db, now)
    const { substance } = version
    const kept = known.get(db)
    const age = now.getTime() - (kept?.at ?? 0)
    if (kept?.substance === substance && age >= 0 && age < for_ms) return kept.value
    const value = compute(db, now)
    const one = { substance, at: now.getTime(), value }
    known.set(db, one)
    value.catch(() => {
      if (known.get(db) === one) known.delete(db)
    })
    return value
  }
}

/** A fleet has few people, and each has few sessions. */
const MAX_KEYS = 10_000

/**
 * Rows that are found by a key, each read once until anything but readings changes. On a server they are
 * read each time: the question for its version takes as long.
 */
export function keptRows<D extends Pick<Database, 'version'>, T>(
  find: (db: D, key: string) => Promise<T>,
): (db: D, key: string) => Promise<T> {
  const known = new WeakMap<D, { substance: string; rows: Map<string, Promise<T>> }>()
  return (db, key) => {
    const substance = db.version()?.substance
    if (substance === undefined) return find(db, key)
    let kept = known.get(db)
    if (kept?.substance !== substance || kept.rows.size >= MAX_KEYS) {
      kept = { substance, rows: new Map() }
      known.set(db, kept)
    }
    const { rows } = kept
    const row = rows.get(key) ?? find(db, key)
    rows.set(key, row)
    row.catch(() => rows.delete(key))
    return row
  }
}
