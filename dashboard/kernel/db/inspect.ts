import type { Client } from '@libsql/client'
import { connect } from './connect.ts'
import { OWN_TABLES } from './copy-database.ts'
import { appliedMigrations, knownMigrations, pendingMigrations, SchemaError } from './migrations.ts'

const MAX_FINDINGS = 20

/** Returns the findings of SQLite: damaged pages and indexes, rows with dangling references. */
export async function damagesOf(client: Client): Promise<string[]> {
  const integrity = await client.execute(`PRAGMA integrity_check(${MAX_FINDINGS})`)
  const strays = await client.execute('PRAGMA foreign_key_check')
  return [
    ...integrity.rows.map((row) => String(row[0])).filter((text) => text !== 'ok'),
    ...strays.rows
      .slice(0, MAX_FINDINGS)
      .map((row) => `row ${row[1]} of ${row[0]} refers to a missing row of ${row[2]}`),
  ]
}

/** Lists tables and indexes that differ from those of the applied migrations. */
export async function deviationsOf(client: Client): Promise<string[]> {
  try {
    const applied = await appliedMigrations(client)
    pendingMigrations(applied)
    const [found, expected] = [await objectsOf(client), await objectsAfter(applied.length)]
    const names = [...new Set([...found.keys(), ...expected.keys()])].sort()
    return names
      .filter((name) => found.get(name) !== expected.get(name))
      .map(describe(found, expected))
  } catch (error) {
    if (error instanceof SchemaError) return [error.message]
    throw error
  }
}

function describe(found: ReadonlyMap<string, string>, expected: ReadonlyMap<string, string>) {
  return (name: string) => {
    if (!found.has(name)) return `${name} is missing`
    return expected.has(name)
      ? `${name} has another definition`
      : `${name} is not one of the dashboard`
  }
}

export async function countRows(client: Client): Promise<Record<string, number>> {
  const { rows } = await client.execute(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND ${OWN_TABLES} ORDER BY name`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of rows) {
    const count = await client.execute(`SELECT count(*) FROM "${name}"`)
    counts[String(name)] = Number(count.rows[0]?.[0])
  }
  return counts
}

async function objectsAfter(migrations: number): Promise<Map<string, string>> {
  using empty = connect({ url: 'file::memory:' }, 1)
  const statements = knownMigrations().slice(0, migrations)
  await empty.migrate(statements.flatMap(({ sql }) => [...sql]))
  return await objectsOf(empty)
}

async function objectsOf(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.execute(
    `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> '__drizzle_migrations' AND ${OWN_TABLES}`,
  )
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, String(sql)]))
}

/** Lists the values that are sealed with a secret outside the database. */
export async function listSealed(client: Client) {
  const found = await client.execute("SELECT 1 FROM sqlite_master WHERE name = 'signing_keys'")
  if (found.rows.length === 0) return []
  const keys = await client.execute('SELECT kid, private_key_sealed FROM signing_keys')
  const codes = await client.execute('SELECT server_id, code_key_sealed FROM enrolments')
  return [
    ...keys.rows.map((row) => sealed('key', `signing key ${row[0]}`, row[1])),
    ...codes.rows.map((row) => sealed('code', `code of server ${row[0]}`, row[1])),
  ]
}

function sealed(kind: 'key' | 'code', what: string, value: unknown) {
  return { kind, what, sealed: String(value) }
}
