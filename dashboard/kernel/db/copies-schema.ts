import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { sites } from './schema.ts'

const site = () => integer().references(() => sites.id, { onDelete: 'cascade' })

/** A site that was copied from another one, which still exists. */
export const site_copies = sqliteTable(
  'site_copies',
  { site_id: site().primaryKey(), original_id: site().notNull() },
  (table) => [index('site_copies_original').on(table.original_id)],
)

/** The access for visitors of a staging site; the password is sealed (trust/seal.ts). */
export const staging_access = sqliteTable('staging_access', {
  site_id: site().primaryKey(),
  user: text().notNull(),
  password_sealed: text().notNull(),
})
