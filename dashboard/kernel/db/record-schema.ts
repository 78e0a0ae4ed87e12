import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ACTIVITY_STATUSES } from '#shared/kernel/values.ts'

/**
 * The chain of the activities, in the order of writing: a link for each activity with its status at
 * that moment, and one more for the end of an activity that was running then. `hash` is in base64
 * and covers the link before it (activity/chain.ts).
 */
export const activity_links = sqliteTable(
  'activity_links',
  {
    seq: integer().primaryKey(),
    activity_id: integer().notNull(),
    status: text({ enum: ACTIVITY_STATUSES }).notNull(),
    hash: text().notNull(),
    /** Whether the end of the activity has no link yet. */
    open: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [index('activity_links_open').on(table.activity_id).where(sql`open = 1`)],
)

/** The end of the chain as a signed note (activity/checkpoint.ts); the newest row counts. */
export const activity_heads = sqliteTable('activity_heads', {
  generation: integer().primaryKey(),
  note: text().notNull(),
})
