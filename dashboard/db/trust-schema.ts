import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { servers } from './schema.ts'

/** The key that signs requests to agents; its private half is sealed with a file outside the database. */
export const signing_keys = sqliteTable('signing_keys', {
  kid: text().primaryKey(),
  public_key: text().notNull(),
  private_key_sealed: text().notNull(),
  created_at: text().notNull(),
})

const server_key = () =>
  integer()
    .primaryKey()
    .references(() => servers.id, { onDelete: 'cascade' })

/** What an enrolled agent is known by: the certificate that is pinned (PEM) and its public key. */
export const server_agents = sqliteTable('server_agents', {
  server_id: server_key(),
  certificate: text().notNull(),
  public_key: text().notNull(),
  enrolled_at: text().notNull(),
})

/** A code that was shown once: its SHA-256, sealed because it is the key of a proof. */
export const enrolments = sqliteTable('enrolments', {
  server_id: server_key(),
  code_key_sealed: text().notNull(),
  expires_at: text().notNull(),
  failures: integer().notNull().default(0),
})
