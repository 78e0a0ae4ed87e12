import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { sites } from './schema.ts'

/**
 * The names of managed sites beside their primary domains, reserved from the start of the operation
 * that adds them (`added_by`) until it has ended. `apex` is the name without `www.`: no other site
 * has it, as alias or as primary domain, which the statements that write it decide. `www`: the primary domain with, or without, `www.`, if
 * it is redirected.
 */
export const site_names = sqliteTable(
  'site_names',
  {
    name: text().primaryKey(),
    apex: text().notNull(),
    site_id: integer()
      .notNull()
      .references(() => sites.id, { onDelete: 'cascade' }),
    kind: text({ enum: ['alias', 'redirect', 'www'] }).notNull(),
    /** The order in which the user gave them. */
    position: integer().notNull().default(0),
    /** The target of a redirect; null when it is the primary domain. */
    target: text(),
    status: integer().notNull().default(301),
    keep_path: integer({ mode: 'boolean' }).notNull().default(true),
    added_by: text(),
  },
  (table) => [
    index('site_names_apex').on(table.apex),
    index('site_names_site').on(table.site_id),
    index('site_names_added').on(table.added_by),
  ],
)
