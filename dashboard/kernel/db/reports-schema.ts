import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { LOGO_TYPES } from '#shared/reports/api/branding.ts'
import { MAIL_STATES, SITE_STATES, UPDATE_KINDS } from '#shared/reports/api/report.ts'
import { emptyText, idColumn } from './columns.ts'
import { sites } from './schema.ts'

/** The look of reports: one row, or none. `logo` is in base64; `color` is `#` and six hex digits. */
export const branding = sqliteTable('branding', {
  id: integer().primaryKey(),
  name: emptyText(),
  color: text().notNull(),
  reply_to: emptyText(),
  closing: emptyText(),
  logo: text(),
  logo_type: text({ enum: LOGO_TYPES }),
})

const ofSite = () =>
  integer()
    .notNull()
    .references(() => sites.id, { onDelete: 'cascade' })

/** Who gets the report of a site. Months that end before `enabled_at` are not sent automatically. */
export const report_settings = sqliteTable('report_settings', {
  site_id: integer()
    .primaryKey()
    .references(() => sites.id, { onDelete: 'cascade' }),
  enabled: integer({ mode: 'boolean' }).notNull(),
  enabled_at: text(),
  recipients: text({ mode: 'json' }).$type<string[]>().notNull(),
})

/**
 * The last attempt to mail the report of a month. The row is written before the message is sent: a
 * second dashboard, or the same one after a crash, finds it and does not send the message again.
 */
export const report_mails = sqliteTable(
  'report_mails',
  {
    site_id: ofSite(),
    /** The month of the report, such as `2026-10`. */
    month: text().notNull(),
    state: text({ enum: MAIL_STATES }).notNull(),
    attempts: integer().notNull(),
    /** The start of the last attempt. */
    at: text().notNull(),
    recipients: text({ mode: 'json' }).$type<string[]>().notNull(),
    /** The recipients that the SMTP server has refused, though it has accepted the message. */
    refused: text({ mode: 'json' }).$type<string[]>().notNull(),
    answer: emptyText(),
  },
  (table) => [primaryKey({ columns: [table.site_id, table.month] })],
)

/** The state of a site from `at` until the next row; no row before the first one is known. */
export const site_states = sqliteTable(
  'site_states',
  { site_id: ofSite(), at: text().notNull(), state: text({ enum: SITE_STATES }).notNull() },
  (table) => [primaryKey({ columns: [table.site_id, table.at] })],
)

/** The version of each plugin or theme by its slug. */
export type KnownVersions = Record<string, string>

/** The versions of a WordPress that were compared last, and since when they are. */
export const site_versions = sqliteTable('site_versions', {
  site_id: integer()
    .primaryKey()
    .references(() => sites.id, { onDelete: 'cascade' }),
  since: text().notNull(),
  core: text().notNull(),
  plugins: text({ mode: 'json' }).$type<KnownVersions>().notNull(),
  themes: text({ mode: 'json' }).$type<KnownVersions>().notNull(),
  /** The time of the scan that found these plugins and themes. */
  scanned_at: text().notNull(),
})

/** The changes of versions, by the time at which they were found. */
export const version_changes = sqliteTable(
  'version_changes',
  {
    id: idColumn(),
    site_id: ofSite(),
    at: text().notNull(),
    kind: text({ enum: UPDATE_KINDS }).notNull(),
    name: text().notNull(),
    from: text().notNull(),
    to: text().notNull(),
  },
  (table) => [index('version_changes_site').on(table.site_id, table.at)],
)
