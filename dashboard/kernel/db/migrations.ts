import type { Client } from '@libsql/client'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { ROOT } from '#dashboard/kernel/runtime/program-paths.ts'
import { withLockRetries } from './connect.ts'
import { OWN_TABLES } from './copy-database.ts'

/** An applied or pending migration; `hash` is the SHA-256 of the file. */
export interface Migration {
  hash: string
  created_at: number
}

export interface KnownMigration extends Migration {
  sql: readonly string[]
}

/** A database that this version of the dashboard must not change; the message has the solution. */
export class SchemaError extends Error {}

const FOLDER = `${ROOT}/dashboard/kernel/db/migrations`
const TABLE = '__drizzle_migrations'
const CREATE = `CREATE TABLE IF NOT EXISTS ${TABLE} (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)`
const MAX_ROUNDS = 20

export function knownMigrations(): readonly KnownMigration[] {
  return readMigrationFiles({ migrationsFolder: FOLDER }).map(({ hash, folderMillis, sql }) => ({
    hash,
    created_at: folderMillis,
    sql,
  }))
}

/** Lists the applied migrations, oldest first; none for an empty database. */
export async function appliedMigrations(client: Client): Promise<Migration[]> {
  const found = await client.execute(`SELECT 1 FROM sqlite_master WHERE name = '${TABLE}'`)
  if (found.rows.length === 0) return []
  const { rows } = await client.execute(`SELECT hash, created_at FROM ${TABLE} ORDER BY created_at`)
  return rows.map((row) => ({ hash: String(row.hash), created_at: Number(row.created_at) }))
}

/** Lists the pending `known` migrations. Throws SchemaError unless `applied` come first. */
export function pendingMigrations(
  applied: readonly Migration[],
  known = knownMigrations(),
): readonly KnownMigration[] {
  const strange = applied.findIndex(({ hash }, at) => hash !== known[at]?.hash)
  if (strange === -1) return known.slice(applied.length)
  if (strange === known.length)
    throw new SchemaError(
      'it was used by a newer version of the dashboard: run that version, or restore a backup of this one',
    )
  throw unknownTables()
}

const unknownTables = () =>
  new SchemaError(
    'its tables were created by another program, or by a version of the dashboard that was never released: set DATABASE_URL to an empty database',
  )

/** Lists the applied migrations. Throws SchemaError when there are tables and none of them. */
async function appliedTo(client: Client): Promise<Migration[]> {
  // Before the migrations are read: others may be applying them.
  const { rows } = await client.execute(
    `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name <> '${TABLE}' AND ${OWN_TABLES} LIMIT 1`,
  )
  const applied = await appliedMigrations(client)
  if (applied.length === 0 && rows.length > 0) throw unknownTables()
  return applied
}

/**
 * Migrates the tables, forward only: all pending migrations in one transaction, or none. Several
 * dashboards may do this at once: the first one applies them, the others find them applied.
 * `before` runs before a change of a non-empty database; its failure prevents the change.
 */
export async function migrate(
  client: Client,
  before?: () => Promise<void>,
  known = knownMigrations(),
): Promise<void> {
  let saved = before === undefined
  for (let round = 1; ; round++) {
    const applied = await withLockRetries(client, () => appliedTo(client))
    const pending = pendingMigrations(applied, known)
    if (pending.length === 0) return
    if (!saved && applied.length > 0) await before?.()
    saved = true
    try {
      await withLockRetries(client, () => client.migrate(statements(applied.length, pending)))
      return
    } catch (error) {
      const now = await appliedMigrations(client)
      if (now.length === applied.length || round === MAX_ROUNDS) throw error
    }
  }
}

/** Returns the statements, which take the write lock before they check who was faster. */
function statements(applied: number, pending: readonly KnownMigration[]) {
  const unchanged = `SELECT CASE WHEN count(*) = ${applied} THEN 1 ELSE json('changed') END FROM ${TABLE}`
  return [
    CREATE,
    `DELETE FROM ${TABLE} WHERE false`,
    unchanged,
    ...pending.flatMap(({ sql, hash, created_at }) => [
      ...sql,
      { sql: `INSERT INTO ${TABLE} (hash, created_at) VALUES (?, ?)`, args: [hash, created_at] },
    ]),
  ]
}
