import type { Client, InArgs, InStatement, ResultSet } from '@libsql/client'
import { OWN } from './copy.ts'
import { isOfReadings } from './prepared.ts'
import { type Batch, textOf, together, withMethods } from './statements.ts'

export const VERSION = 'SELECT substance, readings FROM revision'

/** Never a value that was there before, even after the records were replaced by a backup. */
const ANOTHER = 'lower(hex(randomblob(8)))'

const TABLE =
  'CREATE TABLE IF NOT EXISTS revision (substance text NOT NULL, readings text NOT NULL, only_readings integer NOT NULL)'
const ROW = "INSERT INTO revision SELECT '', '', 0 WHERE NOT EXISTS (SELECT 1 FROM revision)"
const RAISE = `UPDATE revision SET substance = ${ANOTHER}`

/** No answer has anything of these. */
const UNCOUNTED: readonly string[] = ['leases', 'news', '__drizzle_migrations']

/**
 * Makes a server count the changes of its records, in the table `revision`. Triggers do this, so that
 * the writes of every program count, such as those of an earlier version of the dashboard. They are no
 * part of the migrations: a file does not need them.
 */
export async function countChanges(client: Client): Promise<void> {
  const tables = await client.execute(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND ${OWN}`,
  )
  const found = await client.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
  const known = new Map(found.rows.map(({ name, sql }) => [String(name), String(sql)]))
  const missing = tables.rows
    .map(({ name }) => String(name))
    .filter((name) => !UNCOUNTED.includes(name))
    .flatMap(triggersOf)
    .filter(({ name, sql }) => known.get(name) !== sql)
  if (missing.length === 0) return
  const made = missing.flatMap(({ name, sql }) => [`DROP TRIGGER IF EXISTS ${name}`, sql])
  // Somebody may have written without them before.
  await client.batch([TABLE, ROW, ...made, RAISE], 'write')
}

function triggersOf(table: string): { name: string; sql: string }[] {
  return ['INSERT', 'UPDATE', 'DELETE'].map((change) => {
    const name = `revision_${change.toLowerCase()}_${table}`
    const sql = `CREATE TRIGGER ${name} AFTER ${change} ON "${table}"
      WHEN (SELECT only_readings FROM revision) = 0 BEGIN ${RAISE}; END`
    return { name, sql }
  })
}

const BEFORE_READINGS = 'UPDATE revision SET only_readings = 1'
const AFTER_READINGS = `UPDATE revision SET only_readings = 0, readings = ${ANOTHER}`

/** A client on such a server, whose statements of readings count as that. */
export function countingReadings(client: Client): Client {
  const batch = async (statements: Batch, mode: Parameters<Client['batch']>[1] = 'deferred') => {
    if (!statements.some(storesReadings)) return client.batch([...statements], mode)
    const results: ResultSet[] = await client.batch(statements.flatMap(counted), 'write')
    const kept = statements.flatMap((each) =>
      storesReadings(each) ? [false, true, false] : [true],
    )
    return results.filter((_, place) => kept[place])
  }
  const execute = async (statement: InStatement, args?: InArgs) => {
    const whole = together(statement, args)
    if (!storesReadings(whole)) return client.execute(whole)
    const [result] = await batch([whole])
    if (!result) throw new Error('a statement had no result')
    return result
  }
  return withMethods(client, { batch, execute })
}

const storesReadings = (statement: Batch[number]) => isOfReadings(textOf(statement)[0])

function counted(statement: Batch[number]): Batch {
  return storesReadings(statement) ? [BEFORE_READINGS, statement, AFTER_READINGS] : [statement]
}
