import { integer, text } from 'drizzle-orm/sqlite-core'

/** Times are ISO 8601 UTC texts, which sort as they were. Ids are never used twice (AUTOINCREMENT). */
export const idColumn = () => integer().primaryKey({ autoIncrement: true })
export const emptyText = () => text().notNull().default('')
