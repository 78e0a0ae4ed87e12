import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { IsolationResult } from '#shared/isolation/isolation.ts'
import { SERVER_STATUSES } from '#shared/kernel/values.ts'
import type { Metrics, Service } from '#shared/servers/agent.ts'
import type { Maintenance } from '#shared/updates/maintenance.ts'
import { emptyText, idColumn } from './columns.ts'

/**
 * `failures` counts failed contacts in a row; `last_error` is the reason of the last one, and
 * `answered_by` the other server whose agent has answered then. `imports`
 * counts the sites that were imported on the day `imports_day` (UTC); `imports_refused` those of
 * the last sync that were over the budget.
 */
export const servers = sqliteTable('servers', {
  id: idColumn(),
  name: text().notNull(),
  hostname: text().notNull(),
  port: integer().notNull(),
  user: text().notNull(),
  tags: text({ mode: 'json' }).$type<string[]>().notNull(),
  status: text({ enum: SERVER_STATUSES }).notNull().default('pending'),
  os: emptyText(),
  version: emptyText(),
  metrics: text({ mode: 'json' }).$type<Metrics>(),
  metrics_at: text(),
  services: text({ mode: 'json' }).$type<Service[]>().notNull().default([]),
  php_versions: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
  failures: integer().notNull().default(0),
  last_error: emptyText(),
  answered_by: integer(),
  last_sync: text(),
  imports_day: emptyText(),
  imports: integer().notNull().default(0),
  imports_refused: integer().notNull().default(0),
  created_at: text().notNull(),
})

export const serverKey = () =>
  integer()
    .primaryKey()
    .references(() => servers.id, { onDelete: 'cascade' })

/**
 * The last isolation check of a server: `checked_at` and `results` of the last one that completed,
 * `failures`, `failed_at` and `reason` of those in a row that could not run since.
 */
export const isolation_checks = sqliteTable('isolation_checks', {
  server_id: serverKey(),
  checked_at: text(),
  results: text({ mode: 'json' }).$type<IsolationResult[]>(),
  failures: integer().notNull().default(0),
  failed_at: text(),
  reason: emptyText(),
})

/** The last maintenance report of a server, and the time when it changed. */
export const server_maintenance = sqliteTable('server_maintenance', {
  server_id: serverKey(),
  maintenance: text({ mode: 'json' }).$type<Maintenance>().notNull(),
  at: text().notNull(),
})

/**
 * Higher after each change of what the overview counts: of the sites of a server, and of their backups
 * and proofs. Triggers raise them, whichever program writes. They are written by hand at the end of the
 * initial migration, since Drizzle has none.
 */
export const server_versions = sqliteTable('server_versions', {
  server_id: integer()
    .primaryKey()
    .references(() => servers.id, { onDelete: 'cascade' }),
  sites: integer().notNull().default(1),
  backups: integer().notNull().default(1),
})

/** The server of a record, which is deleted with its server. */
export const home = () =>
  integer()
    .notNull()
    .references(() => servers.id, { onDelete: 'cascade' })
