import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ServerWeb } from '#shared/sites/api/web.ts'
import { serverKey } from './schema.ts'

/** The last report of the web servers of a server, and the time when it changed. */
export const server_web = sqliteTable('server_web', {
  server_id: serverKey(),
  web: text({ mode: 'json' }).$type<ServerWeb>().notNull(),
  at: text().notNull(),
})
