import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { REACH_CODES } from '#shared/servers/api/enrolment.ts'
import { emptyText } from './columns.ts'
import { serverKey } from './schema.ts'

/**
 * The keys that sign requests to agents; the private halves are sealed with a file outside the
 * database. `until` is null for the current one: the others sign for agents without the new one.
 */
export const signing_keys = sqliteTable(
  'signing_keys',
  {
    kid: text().primaryKey(),
    public_key: text().notNull(),
    private_key_sealed: text().notNull(),
    created_at: text().notNull(),
    until: text(),
  },
  (table) => [
    uniqueIndex('signing_keys_one_current')
      .on(sql`(until is null)`)
      .where(sql`${table.until} is null`),
  ],
)

/** The pinned certificate (PEM) and key of an agent, and our newest key that it accepts (`kid`). */
export const server_agents = sqliteTable('server_agents', {
  server_id: serverKey(),
  certificate: text().notNull(),
  public_key: text().notNull(),
  enrolled_at: text().notNull(),
  kid: text().notNull().default(''),
  /** Proves that the dashboard wrote the row: marks.ts. */
  mark: emptyText(),
})

/**
 * A code that was shown once, with the key `kid`: its SHA-256, sealed because it is the key of a proof.
 * `last_error` is the reason of its last failed use, `last_code` the code of that reason.
 */
export const enrolments = sqliteTable('enrolments', {
  server_id: serverKey(),
  code_key_sealed: text().notNull(),
  expires_at: text().notNull(),
  failures: integer().notNull().default(0),
  last_error: text().notNull().default(''),
  last_code: text({ enum: REACH_CODES }),
  kid: text().notNull().default(''),
})
