import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Metrics, Service, Warning } from '#shared/agent.ts'
import type { DiskUse } from '#shared/api/disk-use.ts'
import type { HealthCheckResult } from '#shared/api/health.ts'
import type { ErrorBody } from '#shared/errors.ts'
import type { Inventory } from '#shared/inventory.ts'
import type { IsolationResult } from '#shared/isolation.ts'
import type { Maintenance } from '#shared/maintenance.ts'
import { OPERATION_NAMES, type OperationType } from '#shared/operation-types/index.ts'
import {
  ACTIVITY_STATUSES,
  BULK_ITEM_STATUSES,
  BULK_STATUSES,
  CANCEL_MODES,
  DISK_LEVELS,
  FOUND_TLS_MODES,
  FRAMEWORKS,
  HEALTH_STATES,
  OPERATION_STATUSES,
  SERVER_STATUSES,
  SITE_STATUSES,
  TIERS,
} from '#shared/values.ts'
import { exclusiveIndexes, IS_ACTIVE } from './exclusion.ts'

/** Times are ISO 8601 UTC texts, which sort as they were. Ids are never used twice (AUTOINCREMENT). */
const key = () => integer().primaryKey({ autoIncrement: true })
const words = () => text().notNull().default('')

export const users = sqliteTable('users', {
  id: key(),
  email: text().notNull().unique(),
  name: text().notNull(),
  password_hash: text().notNull(),
  created_at: text().notNull(),
})

/**
 * `failures` counts failed contacts in a row; `last_error` is the reason of the last one. `imports`
 * counts the sites that were imported on the day `imports_day` (UTC); `imports_refused` those of the
 * last sync that were over the budget.
 */
export const servers = sqliteTable('servers', {
  id: key(),
  name: text().notNull(),
  hostname: text().notNull(),
  port: integer().notNull(),
  user: text().notNull(),
  tags: text({ mode: 'json' }).$type<string[]>().notNull(),
  status: text({ enum: SERVER_STATUSES }).notNull().default('pending'),
  os: words(),
  version: words(),
  metrics: text({ mode: 'json' }).$type<Metrics>(),
  metrics_at: text(),
  services: text({ mode: 'json' }).$type<Service[]>().notNull().default([]),
  php_versions: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
  failures: integer().notNull().default(0),
  last_error: words(),
  last_sync: text(),
  imports_day: words(),
  imports: integer().notNull().default(0),
  imports_refused: integer().notNull().default(0),
  created_at: text().notNull(),
})

/** The key of a table with one row for each server. */
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
  reason: words(),
})

/** The last maintenance report of a server, and when it changed. */
export const server_maintenance = sqliteTable('server_maintenance', {
  server_id: serverKey(),
  maintenance: text({ mode: 'json' }).$type<Maintenance>().notNull(),
  at: text().notNull(),
})

const amount = () => integer().notNull()
const readings = () => ({
  cpu: amount(),
  ram_used: amount(),
  ram_total: amount(),
  disk_used: amount(),
  disk_total: amount(),
  load1: amount(),
  load5: amount(),
  load15: amount(),
})

/**
 * One reading per minute. `key` combines the server's id and the time in one number
 * (metrics/key.ts), so that readings of a server are adjacent and need no index. `cpu` is in tenths
 * of a percent, loads are in hundredths, sizes in MB.
 */
export const metrics_minutes = sqliteTable('metrics_minutes', {
  key: integer().primaryKey(),
  ...readings(),
})

/** The averages of 15 minutes, and the highest `cpu` among them. */
export const metrics_quarters = sqliteTable('metrics_quarters', {
  key: integer().primaryKey(),
  ...readings(),
  cpu_max: amount(),
})

const home = () =>
  integer()
    .notNull()
    .references(() => servers.id, { onDelete: 'cascade' })

/**
 * `apex` is the domain without `www.`: unique among managed sites, and among the sites of one server. A
 * discovered site reserves its name on its own server alone, so that no agent can reserve a name on the
 * others. `found` marks a discovered site, which can only be read; `ignored_at` is set while a user hides
 * it. `unknown` has a code for each value that its agent does not know; a `closed` site refuses every
 * visitor. `missing_since` is set while a site is missing. Counts of updates are null while unknown.
 * `former_status` is the state that a failed deletion restores. A site in the trash is purged
 * automatically at `purge_at`; `trash_size` is in bytes, null while unknown. `disk` is the last
 * measurement of its agent, and `disk_level` its attention level. `health` is the last report of its
 * agent, null before that; it is valid while its server answers (health/of-site.ts). A
 * `staging` site is a protected copy (copies-schema.ts). An inventory is
 * long: the index `sites_listing` has all columns for filters, order and counts.
 */
export const sites = sqliteTable(
  'sites',
  {
    id: key(),
    server_id: home(),
    domain: text().notNull(),
    apex: text().notNull(),
    user: text().notNull(),
    docroot: words(),
    php: text().notNull(),
    tier: text({ enum: TIERS }).notNull(),
    tls: text({ enum: FOUND_TLS_MODES }).notNull(),
    framework: text({ enum: FRAMEWORKS }).notNull().default('unknown'),
    wp_version: words(),
    db_name: words(),
    database_routines: integer({ mode: 'boolean' }).notNull().default(false),
    xmlrpc: integer({ mode: 'boolean' }).notNull().default(true),
    email: words(),
    managed: integer({ mode: 'boolean' }).notNull(),
    found: integer({ mode: 'boolean' }).notNull().default(false),
    ignored_at: text(),
    closed: integer({ mode: 'boolean' }).notNull().default(false),
    unknown: text({ mode: 'json' }).$type<Record<string, string>>().notNull().default({}),
    status: text({ enum: SITE_STATUSES }).notNull(),
    status_reason: words(),
    former_status: text({ enum: SITE_STATUSES }),
    updates_plugins: integer(),
    updates_themes: integer(),
    updates_core: integer({ mode: 'boolean' }),
    inventory: text({ mode: 'json' }).$type<Inventory>(),
    last_scan: text(),
    missing_since: text(),
    certificate_expires_at: words(),
    trashed_at: text(),
    purge_at: text(),
    trash_size: integer(),
    disk: text({ mode: 'json' }).$type<DiskUse>(),
    disk_level: text({ enum: DISK_LEVELS }),
    staging: integer({ mode: 'boolean' }).notNull().default(false),
    health: text({ enum: HEALTH_STATES }),
    health_code: words(),
    health_reason: words(),
    health_since: text(),
    health_checks: text({ mode: 'json' }).$type<HealthCheckResult[]>(),
    created_at: text().notNull(),
  },
  (table) => [
    index('sites_disk').on(table.disk_level).where(sql`disk_level is not null`),
    uniqueIndex('sites_apex_server').on(table.apex, table.server_id),
    uniqueIndex('sites_managed_apex').on(table.apex).where(sql`managed = 1`),
    index('sites_domain').on(table.server_id, table.domain),
    index('sites_server').on(table.server_id, table.status, table.ignored_at),
    index('sites_listing').on(
      table.status,
      table.server_id,
      table.domain,
      table.user,
      table.php,
      table.tier,
      table.tls,
      table.framework,
      table.wp_version,
      table.updates_plugins,
      table.updates_themes,
      table.updates_core,
      table.managed,
      table.found,
      table.ignored_at,
      table.certificate_expires_at,
      table.created_at,
      table.health,
      table.staging,
    ),
  ],
)

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
    /** Whether it waits for a backup of its site, or has one; null: it needs none. */
    backup_first: text({ enum: ['waits', 'done'] }),
    sent_at: text(),
    next_at: text(),
    deadline_at: text().notNull(),
    created_at: text().notNull(),
    started_at: text(),
    finished_at: text(),
  },
  (table) => [
    ...exclusiveIndexes(table.site_id),
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

/** One call that starts an operation on many sites or servers; paused after `pause_after` failures in a row. */
export const bulk_operations = sqliteTable(
  'bulk_operations',
  {
    id: text().primaryKey(),
    type: text({ enum: OPERATION_NAMES }).notNull(),
    params: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    status: text({ enum: BULK_STATUSES }).notNull(),
    reason: words(),
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

/** Kept when its server or site is deleted, as a record of that. */
export const activities = sqliteTable(
  'activities',
  {
    id: key(),
    type: text().notNull(),
    domain: text().notNull(),
    status: text({ enum: ACTIVITY_STATUSES }).notNull(),
    server_id: integer(),
    operation_id: text(),
    user_id: integer(),
    created_at: text().notNull(),
  },
  (table) => [
    index('activities_operation').on(table.operation_id),
    index('activities_server').on(table.server_id),
  ],
)

export const settings = sqliteTable('settings', {
  key: text().primaryKey(),
  value: text({ mode: 'json' }).$type<unknown>().notNull(),
})
