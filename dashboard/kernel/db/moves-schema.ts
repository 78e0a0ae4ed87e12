import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { servers, sites } from './schema.ts'

/**
 * A site that moves, or has moved and is not confirmed. `other_id` is the new server until the
 * switch, and then the one that forwards. `progress` has the results of the ended parts of the
 * operation; `certificate` is the one of the other server, as PEM.
 */
export const site_moves = sqliteTable(
  'site_moves',
  {
    site_id: integer()
      .primaryKey()
      .references(() => sites.id, { onDelete: 'cascade' }),
    other_id: integer()
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    operation_id: text().notNull(),
    progress: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    certificate: text().notNull().default(''),
    /** The time of the switch to the other server; null before the switch. */
    moved_at: text(),
  },
  (table) => [index('site_moves_other').on(table.other_id)],
)
