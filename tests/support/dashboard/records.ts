import { Database as Sqlite } from 'bun:sqlite'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Every row of every table of a database file, by table, in an order of its own. */
export function contentOf(file: string): Record<string, unknown[]> {
  const database = new Sqlite(file)
  try {
    const names = database
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND (name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR name = 'sqlite_sequence') ORDER BY name",
      )
      .all()
    return Object.fromEntries(
      names.map(({ name }) => [name, sorted(database.query(`SELECT * FROM "${name}"`).all())]),
    )
  } finally {
    database.close()
  }
}

const textOf = (row: unknown) => JSON.stringify(row)
const sorted = (rows: unknown[]) => rows.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))

/** A folder that goes away with its block. */
export async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'records-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
