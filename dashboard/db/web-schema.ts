import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ServerWeb } from '#shared/api/web.ts'
import { servers } from './schema.ts'

/** The last report of the web servers of a server, and when it changed. */
export const server_web = sqliteTable('server_web', {
  server_id: integer()
    .primaryKey()
    .references(() => servers.id, { onDelete: 'cascade' }),
  web: text({ mode: 'json' }).$type<ServerWeb>().notNull(),
  at: text().notNull(),
})
