import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { BackupPlace } from '#shared/backups/backup.ts'
import { BACKUP_INTERVALS, REPLACEMENTS } from '#shared/backups/backup-schedule.ts'
import type { ProofReport } from '#shared/backups/proof.ts'
import { servers, sites, users } from './schema.ts'

/**
 * Where backups of sites are stored. The secret is sealed (trust/seal.ts). `checked_at` is null
 * until a server has written to it with the present settings; `append_only`: it refused to delete.
 * `keeper_key`: the public key of the program that deletes old backups beside the storage.
 */
export const backup_targets = sqliteTable(
  'backup_targets',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull().unique(),
    place: text({ mode: 'json' }).$type<BackupPlace>().notNull(),
    secret_sealed: text().notNull(),
    is_default: integer({ mode: 'boolean' }).notNull().default(false),
    checked_at: text(),
    append_only: integer({ mode: 'boolean' }),
    keeper_key: text(),
    created_at: text().notNull(),
  },
  (table) => [
    uniqueIndex('backup_targets_one_default')
      .on(sql`(is_default)`)
      .where(sql`${table.is_default} = 1`),
  ],
)

/**
 * The recovery kits: the public half of a key that only its owner has, and the key of this
 * dashboard for the same passwords, whose private half is sealed. `challenge_hash`: the SHA-256 of
 * what was encrypted to the kit. The last confirmed one is in use.
 */
export const backup_kits = sqliteTable('backup_kits', {
  id: integer().primaryKey({ autoIncrement: true }),
  recovery_key: text().notNull(),
  dashboard_key: text().notNull(),
  dashboard_key_sealed: text().notNull(),
  challenge_hash: text().notNull(),
  created_at: text().notNull(),
  confirmed_at: text(),
})

/**
 * Where the records of the dashboard are saved: one row, or none. No lookup for a site or a server
 * reads this table. `checked_at` is null until the dashboard has written to it, and found that no
 * server can read it, with the present settings.
 */
export const dashboard_targets = sqliteTable('dashboard_targets', {
  id: integer().primaryKey(),
  place: text({ mode: 'json' }).$type<BackupPlace>().notNull(),
  secret_sealed: text().notNull(),
  checked_at: text(),
  keeper_key: text(),
  created_at: text().notNull(),
})

/**
 * The repositories of the dashboard's own backups by their place, with their passwords, encrypted to
 * the key of a kit.
 */
export const dashboard_repositories = sqliteTable('dashboard_repositories', {
  id: integer().primaryKey({ autoIncrement: true }),
  place: text({ mode: 'json' }).$type<BackupPlace>().notNull(),
  kit_id: integer()
    .notNull()
    .references(() => backup_kits.id),
  sealed_password: text().notNull(),
})

/**
 * For the sites of all servers with a tag; null: the setting, or the default target.
 * `backup_first`: before operations that change files or database. `per_server`: how many backups
 * run at the same time on such a server.
 */
export const backup_rules = sqliteTable('backup_rules', {
  tag: text().primaryKey(),
  every: text({ enum: BACKUP_INTERVALS }),
  target_id: integer().references(() => backup_targets.id, { onDelete: 'set null' }),
  backup_first: integer({ mode: 'boolean' }),
  per_server: integer(),
})

/**
 * The values of the site itself; null: that of a tag of its server, the setting, or the default
 * target. `exclude`: paths below its public folder.
 */
export const backup_settings = sqliteTable('backup_settings', {
  site_id: integer()
    .primaryKey()
    .references(() => sites.id, { onDelete: 'cascade' }),
  every: text({ enum: BACKUP_INTERVALS }),
  target_id: integer().references(() => backup_targets.id, { onDelete: 'set null' }),
  backup_first: integer({ mode: 'boolean' }),
  exclude: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
})

/**
 * The complete backups. They outlive their site and its server. `at` is by the clock of the server,
 * `recorded_at` by that of the dashboard. `gone_at`: since when it is not in its repository any
 * more.
 */
export const backups = sqliteTable(
  'backups',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    site_id: integer().references(() => sites.id, { onDelete: 'set null' }),
    server_id: integer().references(() => servers.id, { onDelete: 'set null' }),
    domain: text().notNull(),
    target_id: integer()
      .notNull()
      .references(() => backup_targets.id),
    repository: text().notNull(),
    snapshot: text().notNull(),
    at: text().notNull(),
    recorded_at: text().notNull(),
    files: integer().notNull(),
    bytes: integer().notNull(),
    stored: integer().notNull(),
    tables: integer().notNull(),
    seconds: integer().notNull(),
    gone_at: text(),
    excluded: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
  },
  (table) => [
    index('backups_site').on(table.site_id, table.recorded_at),
    index('backups_repository').on(table.target_id, table.repository, table.recorded_at),
    index('backups_gone').on(table.gone_at).where(sql`gone_at is not null`),
  ],
)

/**
 * The last operation that replaced the state of a site, while it can be undone: the time of the
 * restored state, and until when.
 */
export const backup_restores = sqliteTable('backup_restores', {
  site_id: integer()
    .primaryKey()
    .references(() => sites.id, { onDelete: 'cascade' }),
  at: text().notNull(),
  until: text().notNull(),
  cause: text({ enum: REPLACEMENTS }).notNull().default('backup.restore'),
})

/**
 * Requests of clients that somebody restores a backup of their site: one at a time for a site, until
 * a backup is restored, or the request is dismissed. `backup_id` is null for any backup.
 */
export const restore_requests = sqliteTable('restore_requests', {
  site_id: integer()
    .primaryKey()
    .references(() => sites.id, { onDelete: 'cascade' }),
  backup_id: integer().references(() => backups.id, { onDelete: 'set null' }),
  user_id: integer()
    .notNull()
    .references(() => users.id),
  note: text().notNull(),
  requested_at: text().notNull(),
})

/**
 * Restores of backups into hidden sites, and what they found. The last one of a backup counts. `at`
 * is by the clock of the server, `recorded_at` by that of the dashboard.
 */
export const backup_proofs = sqliteTable(
  'backup_proofs',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    backup_id: integer()
      .notNull()
      .references(() => backups.id, { onDelete: 'cascade' }),
    site_id: integer().references(() => sites.id, { onDelete: 'set null' }),
    server_id: integer().references(() => servers.id, { onDelete: 'set null' }),
    at: text().notNull(),
    recorded_at: text().notNull(),
    proven: integer({ mode: 'boolean' }).notNull(),
    findings: text({ mode: 'json' }).$type<ProofReport['findings']>().notNull(),
    rows: integer().notNull(),
    tables: integer().notNull(),
    files: integer().notNull(),
    bytes: integer().notNull(),
    pages: text({ mode: 'json' }).$type<ProofReport['pages']>().notNull(),
    seconds: integer().notNull(),
  },
  (table) => [
    index('backup_proofs_backup').on(table.backup_id),
    index('backup_proofs_site').on(table.site_id),
  ],
)
