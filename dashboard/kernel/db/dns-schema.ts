import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { operations } from './operations-schema.ts'

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

/**
 * Operations that change DNS records of their site (in their params): noted before the first change,
 * so that one that fails, or a dashboard that ends, leaves none behind. `is_over`: nothing is undone
 * any more.
 */
export const dns_changes = sqliteTable('dns_changes', {
  operation_id: text()
    .primaryKey()
    .references(() => operations.id, { onDelete: 'cascade' }),
  tries: integer().notNull().default(0),
  is_over: integer({ mode: 'boolean' }).notNull().default(false),
})
