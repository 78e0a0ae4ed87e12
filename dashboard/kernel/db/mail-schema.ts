import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { StoredMail } from '#shared/mail/api/mail.ts'
import type { MailTroubles } from './mail-trouble.ts'
import { serverKey, servers, sites } from './schema.ts'

/** The sites of a server with waiting or undelivered mail, as last reported. */
export const server_mail = sqliteTable('server_mail', {
  server_id: serverKey(),
  troubles: text({ mode: 'json' }).$type<MailTroubles>().notNull(),
  at: text().notNull(),
})

/** The last mail settings of a server or a site; the password is sealed, or empty for none. */
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
