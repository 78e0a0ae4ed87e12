import type { Database, Queries } from './client.ts'

/**
 * Builds a query once for each database, with `sql.placeholder` for its values: Drizzle takes
 * longer to write the SQL of a query by id than libSQL takes to run it.
 */
export function preparedQuery<Q>(build: (read: Queries) => Q): (db: Pick<Database, 'read'>) => Q {
  const built = new WeakMap<Queries, Q>()
  return ({ read }) => {
    const known = built.get(read)
    if (known !== undefined) return known
    const query = build(read)
    built.set(read, query)
    return query
  }
}

/** Reads rows by their id, all that are wanted in one moment with one statement. */
export function batchedRead<R>(
  readAll: (db: Database, ids: string) => Promise<R[]>,
  idOf: (row: R) => number,
): (db: Database, id: number) => Promise<R | undefined> {
  const waiting = new WeakMap<
    Queries,
    { ids: Set<number>; rows: Promise<ReadonlyMap<number, R>> }
  >()
  return async (db, id) => {
    const known = waiting.get(db.read)
    if (known) {
      known.ids.add(id)
      return (await known.rows).get(id)
    }
    const ids = new Set([id])
    const rows = Promise.resolve().then(async () => {
      waiting.delete(db.read)
      return new Map((await readAll(db, JSON.stringify([...ids]))).map((row) => [idOf(row), row]))
    })
    waiting.set(db.read, { ids, rows })
    return (await rows).get(id)
  }
}
