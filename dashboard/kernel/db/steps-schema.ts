import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { operations } from './schema.ts'

/** The changes of the steps of an operation, in order; `after` is the event before each, or 0. */
export const operation_steps = sqliteTable(
  'operation_steps',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    operation_id: text()
      .notNull()
      .references(() => operations.id, { onDelete: 'cascade' }),
    after: integer().notNull(),
    name: text().notNull(),
    title: text().notNull(),
    state: text().notNull(),
  },
  (table) => [index('operation_steps_operation').on(table.operation_id, table.id)],
)
