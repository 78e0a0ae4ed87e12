import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { SettingsReport } from '#shared/sites/site.configure.ts'
import { sites } from './schema.ts'

/** The settings of a site as its agent reported them last; the password is sealed (trust/seal.ts). */
export const site_settings = sqliteTable('site_settings', {
  site_id: integer()
    .primaryKey()
    .references(() => sites.id, { onDelete: 'cascade' }),
  settings: text({ mode: 'json' }).$type<SettingsReport>().notNull(),
  password_sealed: text().notNull().default(''),
})
