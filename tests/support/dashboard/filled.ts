import { Database as Sqlite } from 'bun:sqlite'
import { COVERED_COLUMNS, MARKED_TABLES, Marks } from '#dashboard/kernel/db/marks.ts'
import { knownMigrations } from '#dashboard/kernel/db/migrations.ts'

interface Column {
  name: string
  type: string
}

const CREATE =
  'CREATE TABLE IF NOT EXISTS __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)'

/**
 * A database file after the first `count` migrations, or all of them, with rows in every table: created
 * by statements of this file, not by the program under test.
 */
export async function makeReleased(file: string, count = knownMigrations().length): Promise<void> {
  const bytes = made.get(count) ?? build(count)
  made.set(count, bytes)
  await Bun.write(file, bytes)
}

const made = new Map<number, Uint8Array>()

function build(count: number): Uint8Array {
  const database = new Sqlite(':memory:')
  try {
    database.run(CREATE)
    for (const { sql, hash, created_at } of knownMigrations().slice(0, count)) {
      for (const statement of sql) database.run(statement)
      database.run('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)', [
        hash,
        created_at,
      ])
    }
    fillTables(database)
    return new Uint8Array(database.serialize())
  } finally {
    database.close()
  }
}

/** Two rows in every table, referenced ones first; every column has a value. */
function fillTables(database: Sqlite): void {
  database.run('PRAGMA foreign_keys = OFF')
  const tables = database
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> '__drizzle_migrations'",
    )
    .all()
  for (const { name } of tables)
    for (const row of [1, 2]) {
      const columns = database.query<Column, []>(`PRAGMA table_info("${name}")`).all()
      const values = columns.map((column) => valueIn(name, column, row))
      const marks = values.map(() => '?').join(', ')
      const names = columns.map((column) => `"${column.name}"`).join(', ')
      database.run(`INSERT OR REPLACE INTO "${name}" (${names}) VALUES (${marks})`, values)
    }
}

type Value = string | number | null

const at = (row: number) => `2026-01-0${row}T00:00:00.000Z`
const json = (row: number) => JSON.stringify({ quoted: '"\u00e9\u4e16', row })
const operation = (row: number) => `operation-${row}`
const bulk = (row: number) => `bulk-${row}`
const first = () => 1

/** By column, or by table and column: references are valid, and no constraint is violated. */
const VALUES: Record<string, (row: number) => Value> = {
  operation_id: operation,
  'operations.id': operation,
  'operations.status': () => 'success',
  'operation_events.id': first,
  bulk_id: bulk,
  'bulk_operations.id': bulk,
  'bulk_events.id': first,
  'activities.status': () => 'success',
  'sites.status': () => 'active',
  'users.factor_id': () => '',
  event: () => 'complete',
  kid: (row) => `key-${row}`,
  'backup_restores.until': at,
  place: json,
  exclude: json,
  excluded: json,
  until: (row) => (row === 1 ? at(row) : null),
  last_sync: at,
  last_scan: at,
  tags: json,
  findings: json,
  pages: json,
  metrics: json,
  services: json,
  php_versions: json,
  inventory: json,
  results: json,
  maintenance: json,
  'sites.disk': json,
  'sites.unknown': json,
  params: json,
  'sites.health_checks': json,
  'sites.reported_identity': json,
  'operations.error': json,
  'operations.warnings': json,
  'bulk_items.error': json,
  data: json,
  'settings.value': json,
  'site_settings.settings': json,
}

function valueIn(table: string, { name, type }: Column, row: number): Value {
  const known = VALUES[`${table}.${name}`] ?? VALUES[name]
  if (known) return known(row)
  if (type.toLowerCase() === 'integer') return row
  return name.endsWith('_at') ? at(row) : `${name} ${row} \u00e9\u4e16'"`
}

/** Gives the rows that admit the marks of a dashboard with this seal-secret. */
export function markRows(database: Sqlite, secret: string): void {
  const marks = new Marks(secret, { error: () => undefined })
  for (const table of MARKED_TABLES) {
    const [name] = COVERED_COLUMNS[table]
    for (const row of database.query(`SELECT * FROM ${table}`).all() as never[])
      database.run(`UPDATE ${table} SET mark = ? WHERE ${name} = ?`, [
        marks.of(table, row),
        Reflect.get(row, name),
      ])
  }
}
