import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ACCOUNT_KINDS, ACTIVITY_SOURCES, ACTIVITY_STATUSES } from '#shared/kernel/values.ts'
import { emptyText, idColumn } from './columns.ts'

export { bulk_events, bulk_items, bulk_operations } from './bulk-schema.ts'
export { metrics_minutes, metrics_quarters } from './metrics-schema.ts'
export { operation_events, operations } from './operations-schema.ts'
export {
  isolation_checks,
  server_maintenance,
  server_versions,
  serverKey,
  servers,
} from './servers-schema.ts'
export { sites } from './sites-schema.ts'

export const users = sqliteTable('users', {
  id: idColumn(),
  email: text().notNull().unique(),
  name: text().notNull(),
  password_hash: text().notNull(),
  created_at: text().notNull(),
  /** The second factor that a login needs (auth-schema.ts); empty for none. */
  factor_id: emptyText(),
  /** The number of passkeys (auth-schema.ts): a login with the password needs one, or a code. */
  passkeys: integer().notNull().default(0),
  /** The random name of the account at its authenticators; empty before the first passkey. */
  passkey_handle: emptyText(),
  /** Since when the account admits nobody; null: it is in use. */
  deactivated_at: text(),
  /** The issuer whose claim decides the role of the account; empty: an owner does. */
  managed_by: emptyText(),
  /** The time of the last login; null: none since this is recorded. */
  last_login_at: text(),
  /** Whether it is a service account, which has API tokens and never logs in; its email is its name. */
  kind: text({ enum: ACCOUNT_KINDS }).notNull().default('person'),
  /** Proves that the dashboard wrote the row: marks.ts. */
  mark: emptyText(),
})

/**
 * Kept when its server or site is deleted, as a record of that. Nothing of a row changes but the
 * status, once, at its end: record-schema.ts has the chain that proves it.
 */
export const activities = sqliteTable(
  'activities',
  {
    id: idColumn(),
    type: text().notNull(),
    domain: text().notNull(),
    status: text({ enum: ACTIVITY_STATUSES }).notNull(),
    server_id: integer(),
    operation_id: text(),
    user_id: integer(),
    /** The name of the API token that the user's script used; null: a session, or the dashboard. */
    token: text(),
    /** The address of the client; null: unknown, or the dashboard. */
    address: text(),
    /** The change in one line; null when the type of the activity already says it. */
    detail: text(),
    created_at: text().notNull(),
    via: text({ enum: ACTIVITY_SOURCES }).notNull().default('system'),
  },
  (table) => [
    index('activities_operation').on(table.operation_id),
    index('activities_server').on(table.server_id),
  ],
)

export const settings = sqliteTable('settings', {
  key: text().primaryKey(),
  value: text({ mode: 'json' }).$type<unknown>().notNull(),
})
