import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { ErrorBody } from '#shared/kernel/errors.ts'
import { CANCEL_MODES, EXCLUSIONS, OPERATION_STATUSES } from '#shared/kernel/values.ts'
import { OPERATION_NAMES, type OperationType } from '#shared/operation-types.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { exclusiveIndexes, IS_ACTIVE } from './exclusion.ts'
import { home } from './servers-schema.ts'

/**
 * One operation; `next_at` is set while it waits for the agent, `sent_at` once an agent may know
 * it, `cancel` once its cancellation was requested, `retry_of` names the operation that it retries.
 * `warnings` of a successful one name missing parts. The first `own_events` events are the dashboard's.
 */
export const operations = sqliteTable(
  'operations',
  {
    id: text().primaryKey(),
    type: text({ enum: OPERATION_NAMES }).notNull(),
    server_id: home(),
    site_id: integer(),
    domain: text().notNull(),
    params: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    status: text({ enum: OPERATION_STATUSES }).notNull(),
    error: text({ mode: 'json' }).$type<ErrorBody>(),
    warnings: text({ mode: 'json' }).$type<Warning[]>().notNull().default([]),
    attempts: integer().notNull().default(0),
    actor: integer(),
    cancel: text({ enum: CANCEL_MODES }),
    retry_of: text(),
    own_events: integer().notNull().default(0),
    output_full: integer({ mode: 'boolean' }).notNull().default(false),
    /** The state of the backup that precedes the operation; null when it needs none. */
    backup_first: text({ enum: ['waits', 'done'] }),
    excludes: text({ enum: EXCLUSIONS }).notNull().default('same_site'),
    sent_at: text(),
    next_at: text(),
    deadline_at: text().notNull(),
    created_at: text().notNull(),
    started_at: text(),
    finished_at: text(),
  },
  (table) => [
    ...exclusiveIndexes(table),
    uniqueIndex('operations_one_sync').on(table.server_id).where(activeOf('server.sync')),
    uniqueIndex('operations_one_isolation_check')
      .on(table.server_id)
      .where(activeOf('isolation.check')),
    index('operations_active').on(table.status, table.finished_at),
    index('operations_site').on(table.site_id, table.created_at),
    index('operations_server').on(table.server_id, table.created_at),
    index('operations_created').on(table.created_at),
  ],
)

const activeOf = (type: OperationType) => sql.raw(`type = '${type}' and ${IS_ACTIVE}`)

/** Each has at most one terminal event: the constraint decides between two writers. */
export const operation_events = sqliteTable(
  'operation_events',
  {
    operation_id: text()
      .notNull()
      .references(() => operations.id, { onDelete: 'cascade' }),
    id: integer().notNull(),
    event: text({ enum: ['log', 'complete', 'error'] }).notNull(),
    data: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.operation_id, table.id] }),
    uniqueIndex('operation_events_one_end').on(table.operation_id).where(sql`event <> 'log'`),
  ],
)
