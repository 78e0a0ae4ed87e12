import type { Database, Queries } from './client.ts'

/**
 * A query that is built once for each database, with `sql.placeholder` for its values: Drizzle takes
 * longer to write the SQL of a query by id than libSQL takes to run it.
 */
export function once<Q>(build: (read: Queries) => Q): (db: Pick<Database, 'read'>) => Q {
  const built = new WeakMap<Queries, Q>()
  return ({ read }) => {
    const known = built.get(read)
    if (known !== undefined) return known
    const query = build(read)
    built.set(read, query)
    return query
  }
}
