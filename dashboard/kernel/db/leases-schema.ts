import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * The dashboard that does a share of the work, and until when in ms of the clock of the database.
 * `token` grows with each holder. A dashboard that runs has a row of its own beside its shares.
 */
export const leases = sqliteTable('leases', {
  name: text().primaryKey(),
  holder: text().notNull(),
  token: integer().notNull(),
  expires: integer().notNull(),
})

/** One row with another text after each write of a dashboard on a server: database-version.ts. */
export const revision = sqliteTable('revision', {
  id: integer().primaryKey(),
  version: text().notNull(),
})

/** The topics of the bus that have news for other dashboards; deleted after some minutes. */
export const news = sqliteTable('news', {
  id: integer().primaryKey({ autoIncrement: true }),
  holder: text().notNull(),
  topic: text().notNull(),
  at: integer().notNull(),
})
