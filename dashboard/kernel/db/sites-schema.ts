import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { HealthCheckResult } from '#shared/health/api/health.ts'
import type { Inventory } from '#shared/kernel/inventory.ts'
import type { ReportedIdentity } from '#shared/kernel/site-identity.ts'
import {
  DISK_LEVELS,
  FOUND_TLS_MODES,
  FRAMEWORKS,
  HEALTH_STATES,
  SITE_STATUSES,
  TIERS,
} from '#shared/kernel/values.ts'
import type { DiskUse } from '#shared/servers/api/disk-use.ts'
import { emptyText, idColumn } from './columns.ts'
import { home } from './servers-schema.ts'

/**
 * `apex` is the domain without `www.`: unique among managed sites, and among the sites of one server. A
 * discovered site reserves its name on its own server alone, so that no agent can reserve a name on the
 * others. `found` marks a discovered site, which can only be read; `ignored_at` is set while a user hides
 * it. `unknown` has a code for each value that its agent does not know; a `closed` site refuses every
 * visitor. `missing_since` is set while a site is missing. Counts of updates are null while unknown.
 * `former_status` is the state that a failed deletion restores. A site in the trash is purged
 * automatically at `purge_at`; `trash_size` is in bytes, null while unknown. `disk` is the last
 * measurement of its agent, and `disk_level` its attention level. `health` is the worst of the last
 * report of its agent and of the request from outside at `visited_at`, null before both; it is valid while
 * its server answers (health/site-health.ts). A `staging` site is a protected copy (copies-schema.ts). `user`, `docroot` and `db_name` of a managed
 * site are decided here (shared/kernel/site-identity.ts); `reported_identity` has those that its server
 * contradicts, as it reports them, and is null otherwise. An inventory is
 * long: the index `sites_listing` has all columns for filters, order and counts, and `sites_in_order`
 * those of the usual list, in its order.
 */
export const sites = sqliteTable(
  'sites',
  {
    id: idColumn(),
    server_id: home(),
    domain: text().notNull(),
    apex: text().notNull(),
    user: text().notNull(),
    docroot: emptyText(),
    php: text().notNull(),
    tier: text({ enum: TIERS }).notNull(),
    tls: text({ enum: FOUND_TLS_MODES }).notNull(),
    framework: text({ enum: FRAMEWORKS }).notNull().default('unknown'),
    wp_version: emptyText(),
    db_name: emptyText(),
    database_routines: integer({ mode: 'boolean' }).notNull().default(false),
    xmlrpc: integer({ mode: 'boolean' }).notNull().default(true),
    email: emptyText(),
    managed: integer({ mode: 'boolean' }).notNull(),
    found: integer({ mode: 'boolean' }).notNull().default(false),
    ignored_at: text(),
    closed: integer({ mode: 'boolean' }).notNull().default(false),
    unknown: text({ mode: 'json' }).$type<Record<string, string>>().notNull().default({}),
    status: text({ enum: SITE_STATUSES }).notNull(),
    status_reason: emptyText(),
    former_status: text({ enum: SITE_STATUSES }),
    updates_plugins: integer(),
    updates_themes: integer(),
    updates_core: integer({ mode: 'boolean' }),
    inventory: text({ mode: 'json' }).$type<Inventory>(),
    last_scan: text(),
    missing_since: text(),
    certificate_expires_at: emptyText(),
    trashed_at: text(),
    purge_at: text(),
    trash_size: integer(),
    disk: text({ mode: 'json' }).$type<DiskUse>(),
    disk_level: text({ enum: DISK_LEVELS }),
    staging: integer({ mode: 'boolean' }).notNull().default(false),
    health: text({ enum: HEALTH_STATES }),
    health_code: emptyText(),
    health_reason: emptyText(),
    health_since: text(),
    health_checks: text({ mode: 'json' }).$type<HealthCheckResult[]>(),
    visited_at: text(),
    reported_identity: text({ mode: 'json' }).$type<ReportedIdentity>(),
    created_at: text().notNull(),
  },
  (table) => [
    index('sites_identity').on(table.domain).where(sql`reported_identity is not null`),
    index('sites_disk').on(table.disk_level).where(sql`disk_level is not null`),
    uniqueIndex('sites_apex_server').on(table.apex, table.server_id),
    uniqueIndex('sites_managed_apex').on(table.apex).where(sql`managed = 1`),
    index('sites_domain').on(table.server_id, table.domain),
    index('sites_server').on(
      table.server_id,
      table.status,
      table.ignored_at,
      table.found,
      table.staging,
      table.managed,
      table.health,
      table.php,
      table.tls,
      table.framework,
      table.updates_plugins,
      table.updates_themes,
      table.updates_core,
      table.certificate_expires_at,
      table.created_at,
      table.apex,
      table.domain,
    ),
    index('sites_visits').on(table.visited_at).where(sql`status = 'active' and found = 0`),
    index('sites_broken')
      .on(table.status, table.domain)
      .where(sql`status in ('failed', 'missing') and ignored_at is null`),
    index('sites_unwell')
      .on(table.health, table.domain)
      .where(sql`health in ('down', 'degraded') and status = 'active' and ignored_at is null`),
    index('sites_expiring')
      .on(table.certificate_expires_at, table.domain)
      .where(sql`certificate_expires_at <> '' and tls <> 'none'
        and status in ('active', 'suspended') and ignored_at is null`),
    index('sites_outdated')
      .on(
        sql`(updates_core is 1) desc`,
        sql`(case when updates_plugins is null then 0 else updates_plugins end + case when updates_themes is null then 0 else updates_themes end) desc`,
        table.domain,
      )
      .where(sql`(updates_plugins > 0 or updates_themes > 0 or updates_core > 0)
        and status = 'active' and ignored_at is null`),
    index('sites_in_order').on(
      table.domain,
      table.status,
      table.ignored_at,
      table.managed,
      table.staging,
    ),
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
