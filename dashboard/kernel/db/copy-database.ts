import type { Client, InStatement, Row, Transaction } from '@libsql/client'
import { connect, type DatabaseAddress, databaseFileOf, withLockRetries } from './connect.ts'

/** The rows in one answer: libSQL servers answer with 10 MB at most; a row has about 16 kB. */
const PAGE_SIZE = 200
/** A condition on `sqlite_master`: an object of the migrations, not of SQLite or libSQL. */
export const OWN_TABLES =
  "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'libsql\\_%' ESCAPE '\\'"

/**
 * Copies the whole database consistently to a new file, while others read and write. SQLite itself
 * copies a file; a server is copied row by row within one transaction.
 */
export async function copyToFile(from: DatabaseAddress, target: string): Promise<void> {
  using source = connect(from, 1)
  if (databaseFileOf(from.url) === undefined) await rowsToFile(source, target)
  else await withLockRetries(source, () => source.execute({ sql: 'VACUUM INTO ?', args: [target] }))
}

/** Fills a database on a server, all of it or nothing; false when it has tables. */
export async function copyToEmpty(file: string, to: DatabaseAddress): Promise<boolean> {
  using source = connect({ url: `file:${file}` }, 1)
  using target = connect(to)
  return await between(source, target)
}

/** Returns true for a database on a server without tables. */
export async function isEmpty(database: DatabaseAddress): Promise<boolean> {
  using client = connect(database, 1)
  return (await tablesOf(client)).length === 0
}

async function rowsToFile(source: Client, path: string): Promise<void> {
  using target = connect({ url: `file:${path}` }, 1)
  if (!(await between(source, target))) throw new Error('the file of the copy is not empty')
}

async function between(source: Client, target: Client): Promise<boolean> {
  const [reading, writing] = [await source.transaction('read'), await target.transaction('write')]
  try {
    if ((await tablesOf(writing)).length > 0) return false
    await copyTables(reading, writing)
    await writing.commit()
    return true
  } finally {
    reading.close()
    writing.close()
  }
}

/** Copies the tables before their indexes, which are then built faster. */
async function copyTables(from: Transaction, to: Transaction): Promise<void> {
  const tables = await tablesOf(from)
  await to.batch(['PRAGMA defer_foreign_keys = ON', ...tables.map(({ sql }) => sql)])
  for (const { name } of tables) await copyRows(from, to, name)
  const { rows } = await from.execute('SELECT name, seq FROM sqlite_sequence')
  await to.batch([
    'DELETE FROM sqlite_sequence',
    ...rows.map(({ name, seq }) => ({
      sql: 'INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)',
      args: [name ?? null, seq ?? null],
    })),
  ])
  const indexes = await from.execute(
    `SELECT sql FROM sqlite_master WHERE type <> 'table' AND sql IS NOT NULL AND ${OWN_TABLES}`,
  )
  for (const { sql } of indexes.rows) await to.execute(String(sql))
}

async function copyRows(from: Transaction, to: Transaction, table: string): Promise<void> {
  for (let last = 0; ; ) {
    const { rows, columns } = await from.execute({
      sql: `SELECT rowid AS "rowid of it", * FROM "${table}" WHERE rowid > ? ORDER BY rowid LIMIT ?`,
      args: [last, PAGE_SIZE],
    })
    const names = columns.slice(1)
    const into = `INSERT INTO "${table}" (${names.map((name) => `"${name}"`)})`
    const sql = `${into} VALUES (${names.map(() => '?')})`
    await to.batch(rows.map((row): InStatement => ({ sql, args: valuesOf(row, names.length) })))
    if (rows.length < PAGE_SIZE) return
    last = Number(rows.at(-1)?.[0])
  }
}

const valuesOf = (row: Row, count: number) =>
  Array.from({ length: count }, (_, at) => row[at + 1] ?? null)

async function tablesOf(on: Transaction | Client) {
  const { rows } = await on.execute(
    `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND ${OWN_TABLES} ORDER BY name`,
  )
  return rows.map(({ name, sql }) => ({ name: String(name), sql: String(sql) }))
}
