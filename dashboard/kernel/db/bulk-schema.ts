import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ErrorBody } from '#shared/kernel/errors.ts'
import { BULK_ITEM_STATUSES, BULK_STATUSES } from '#shared/kernel/values.ts'
import { OPERATION_NAMES } from '#shared/operation-types.ts'
import { emptyText } from './columns.ts'

/** One call that starts an operation on many sites or servers; paused after `pause_after` failures in a row. */
export const bulk_operations = sqliteTable(
  'bulk_operations',
  {
    id: text().primaryKey(),
    type: text({ enum: OPERATION_NAMES }).notNull(),
    params: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    status: text({ enum: BULK_STATUSES }).notNull(),
    reason: emptyText(),
    parallel: integer().notNull(),
    pause_after: integer().notNull(),
    actor: integer(),
    created_at: text().notNull(),
    finished_at: text(),
  },
  (table) => [
    index('bulk_operations_active').on(table.status),
    index('bulk_operations_created').on(table.created_at),
  ],
)

const bulk = () =>
  text()
    .notNull()
    .references(() => bulk_operations.id, { onDelete: 'cascade' })

/** The operation of one target, in the order of `position`; kept when the target is deleted. */
export const bulk_items = sqliteTable(
  'bulk_items',
  {
    bulk_id: bulk(),
    position: integer().notNull(),
    server_id: integer().notNull(),
    site_id: integer(),
    domain: text().notNull(),
    status: text({ enum: BULK_ITEM_STATUSES }).notNull(),
    operation_id: text(),
    error: text({ mode: 'json' }).$type<ErrorBody>(),
  },
  (table) => [
    primaryKey({ columns: [table.bulk_id, table.position] }),
    index('bulk_items_status').on(table.bulk_id, table.status, table.position),
    index('bulk_items_operation').on(table.operation_id),
  ],
)

export const bulk_events = sqliteTable(
  'bulk_events',
  {
    bulk_id: bulk(),
    id: integer().notNull(),
    event: text({ enum: ['log', 'complete', 'error'] }).notNull(),
    data: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.bulk_id, table.id] })],
)
