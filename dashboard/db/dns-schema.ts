import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Accounts at Cloudflare. The token is sealed (trust/seal.ts). `zones` are those that it saw when it
 * was last checked; another API address needs another account.
 */
export const dns_accounts = sqliteTable('dns_accounts', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull().unique(),
  api: text().notNull(),
  token_sealed: text().notNull(),
  zones: text({ mode: 'json' }).$type<{ id: string; name: string }[]>().notNull(),
  checked_at: text().notNull(),
  created_at: text().notNull(),
})
