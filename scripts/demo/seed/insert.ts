import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { batch, type Database, type Queries } from '#dashboard/kernel/db/client.ts'

const ROWS = 200
const STATEMENTS = 10

/** Stores many rows, some thousands per batch: the dashboard may need to write others. */
export async function insertAll<Table extends SQLiteTable>(
  db: Database,
  table: Table,
  rows: readonly Table['$inferInsert'][],
): Promise<void> {
  const count = Math.ceil(rows.length / ROWS)
  const parts = Array.from({ length: count }, (_, at) => rows.slice(at * ROWS, (at + 1) * ROWS))
  for (let at = 0; at < count; at += STATEMENTS) {
    const some = parts.slice(at, at + STATEMENTS)
    const inserts = (queries: Queries) => some.map((part) => queries.insert(table).values(part))
    await db.write((queries) => batch(queries, inserts(queries)))
  }
}
