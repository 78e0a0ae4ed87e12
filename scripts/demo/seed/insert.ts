import { batch, type Database, type Queries, type Statement } from '#dashboard/db/client.ts'

const ROWS = 200
const STATEMENTS = 10

/** Many rows, some thousands per batch: the dashboard may need to write others. */
export async function insertAll<Row>(
  db: Database,
  rows: readonly Row[],
  insert: (queries: Queries, rows: Row[]) => Statement,
): Promise<void> {
  const size = ROWS * STATEMENTS
  for (let from = 0; from < rows.length; from += size) {
    const some = rows.slice(from, from + size)
    await db.write((queries) => batch(queries, statementsOf(queries, some, insert)))
  }
}

function statementsOf<Row>(
  queries: Queries,
  rows: readonly Row[],
  insert: (queries: Queries, rows: Row[]) => Statement,
): Statement[] {
  const count = Math.ceil(rows.length / ROWS)
  return Array.from({ length: count }, (_, at) =>
    insert(queries, rows.slice(at * ROWS, (at + 1) * ROWS)),
  )
}
