import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { serverKey, servers, sites } from './schema.ts'

/** The servers that do not come back, as a user has confirmed. */
export const lost_servers = sqliteTable('lost_servers', {
  server_id: serverKey(),
  declared_at: text().notNull(),
})

/**
 * The sites of lost servers whose restore on another server has started: the record of a site names
 * its new server from then on. `suspended`: visitors did not see it before. `is_open`: access and
 * suspension are not set on the new server yet.
 */
export const recovered_sites = sqliteTable(
  'recovered_sites',
  {
    site_id: integer()
      .notNull()
      .references(() => sites.id, { onDelete: 'cascade' }),
    lost_id: integer()
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    suspended: integer({ mode: 'boolean' }).notNull(),
    is_open: integer({ mode: 'boolean' }).notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.site_id, table.lost_id] }),
    index('recovered_sites_lost').on(table.lost_id),
  ],
)
