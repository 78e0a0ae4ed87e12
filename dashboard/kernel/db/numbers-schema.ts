import { integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core'
import { serverKey, sites } from './schema.ts'

const amount = () => integer().notNull()

/** The numbers as in #shared/metrics/site-numbers.ts. */
const numbers = () => ({
  requests: amount(),
  client_errors: amount(),
  server_errors: amount(),
  cache_hits: amount(),
  php_requests: amount(),
  php_ms: amount(),
  slow: amount(),
  bytes: amount(),
  full: amount(),
  active: amount(),
  memory: amount(),
  killed: amount(),
})

const place = () => ({
  site_id: integer()
    .notNull()
    .references(() => sites.id, { onDelete: 'cascade' }),
  /** The beginning in seconds since 1970. */
  at: integer().notNull(),
})

/** Minutes of a site in which something happened. */
export const site_minutes = sqliteTable('site_minutes', { ...place(), ...numbers() }, (table) => [
  primaryKey({ columns: [table.site_id, table.at] }),
])

/** Days (UTC) of a site with an agent, also those without a request. Sizes are in bytes. */
export const site_days = sqliteTable(
  'site_days',
  {
    ...place(),
    ...numbers(),
    files: integer(),
    database: integer(),
    cache: integer(),
    mail: integer(),
    /** Requests that the server itself refused; null for a day that was not counted as a whole. */
    refused: integer(),
  },
  (table) => [primaryKey({ columns: [table.site_id, table.at] })],
)

/** Up to when the numbers of a server were read, in seconds since 1970, by its clock. */
export const server_numbers = sqliteTable('server_numbers', {
  server_id: serverKey(),
  at: integer().notNull(),
})
