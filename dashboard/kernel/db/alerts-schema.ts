import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ATTENTION_KINDS } from '#shared/overview/api/attention.ts'

/**
 * A critical item of the overview that is mailed or about to be, or all items of a kind with more of them
 * than the overview shows. The row is deleted when its end is mailed.
 */
export const alerts = sqliteTable('alerts', {
  key: text().primaryKey(),
  kind: text({ enum: ATTENTION_KINDS }).notNull(),
  server_id: integer(),
  site_id: integer(),
  name: text().notNull(),
  reason: text().notNull(),
  since: text().notNull(),
  /** The time when the SMTP server accepted the message about its begin; null before that. */
  mailed_at: text(),
  message_id: text(),
  /** The time from which on it is not an item any more; null while it is one. */
  gone_at: text(),
})
