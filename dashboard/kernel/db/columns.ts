import { integer, text } from 'drizzle-orm/sqlite-core'

/** Makes an id, which is never used twice (AUTOINCREMENT). */
export const idColumn = () => integer().primaryKey({ autoIncrement: true })
export const emptyText = () => text().notNull().default('')
