import { integer, text } from 'drizzle-orm/sqlite-core'

/** Times are ISO 8601 UTC texts, which sort as they were. Ids are never used twice (AUTOINCREMENT). */
export const key = () => integer().primaryKey({ autoIncrement: true })
export const words = () => text().notNull().default('')
