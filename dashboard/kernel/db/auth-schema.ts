import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { GRANTS } from '#shared/kernel/rights.ts'
import { TOKEN_SCOPES } from '#shared/kernel/values.ts'
import { emptyText } from './columns.ts'
import { users } from './schema.ts'

const owner = () =>
  integer()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

/**
 * A signed-in browser: its JWT is valid while the row of its `jti` exists. `confirmed_at`: when its
 * user last gave the password.
 */
export const sessions = sqliteTable(
  'sessions',
  {
    jti: text().primaryKey(),
    user_id: owner(),
    created_at: text().notNull(),
    renewed_at: text().notNull(),
    expires_at: text().notNull(),
    confirmed_at: text(),
    /** Proves that the dashboard wrote the row: db/marks.ts. */
    mark: emptyText(),
  },
  (table) => [index('sessions_user').on(table.user_id)],
)

/** `hash` is the SHA-256 of a token of 256 random bits, in hex. */
export const api_tokens = sqliteTable('api_tokens', {
  id: integer().primaryKey({ autoIncrement: true }),
  user_id: owner(),
  name: text().notNull(),
  hash: text().notNull().unique(),
  scope: text({ enum: TOKEN_SCOPES }).notNull().default('read'),
  created_at: text().notNull(),
  expires_at: text().notNull().default(''),
  last_used_at: text(),
  /** As that of a session. */
  mark: emptyText(),
})

/** What an account may do in the whole fleet: its role, and the secrets beside a role. They add up. */
export const grants = sqliteTable(
  'grants',
  {
    user_id: owner(),
    gives: text({ enum: GRANTS }).notNull(),
    given_at: text().notNull(),
    /** As that of a session. */
    mark: emptyText(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.gives] })],
)
