import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { StoredMail } from '#shared/api/mail.ts'
import type { MailTroubles } from './mail-trouble.ts'
import { servers, sites } from './schema.ts'

/** Which sites of a server had mail that waited or was given up, when it last reported that. */
export const server_mail = sqliteTable('server_mail', {
  server_id: integer()
    .primaryKey()
    .references(() => servers.id, { onDelete: 'cascade' }),
  troubles: text({ mode: 'json' }).$type<MailTroubles>().notNull(),
  at: text().notNull(),
})

/**
 * What a server, or one of its sites, was last told about mail. The password is apart from the rest and
 * sealed (trust/seal.ts); empty: there is none.
 */
export const mail_settings = sqliteTable(
  'mail_settings',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    server_id: integer()
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    site_id: integer().references(() => sites.id, { onDelete: 'cascade' }),
    setting: text({ mode: 'json' }).$type<StoredMail>().notNull(),
    password_sealed: text().notNull().default(''),
    updated_at: text().notNull(),
  },
  (table) => [
    uniqueIndex('mail_settings_server').on(table.server_id).where(sql`site_id is null`),
    uniqueIndex('mail_settings_site').on(table.site_id).where(sql`site_id is not null`),
  ],
)
