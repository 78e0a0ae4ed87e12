import type { Client, InStatement } from '@libsql/client'
import { getTableName } from 'drizzle-orm'
import Sqlite from 'libsql'
import { revision } from './leases-schema.ts'
import { type StatementBatch, withMethods } from './statements.ts'

/** A state of the records: another text after each change of more than readings, by whichever dashboard. */
export type DatabaseVersion = string

/**
 * Reads the version of the records in a file, without waiting. SQLite counts the commits of all other
 * connections, of this process and of others (sqlite.org/pragma.html#pragma_data_version). Undefined
 * when the file cannot be read at the moment. `client` has the connection that writes.
 */
export function versionOfFile(client: Client, file: string, timeout: number) {
  let sqlite: Sqlite.Database | undefined
  let commits: Sqlite.Statement<[]> | undefined
  let opened = 0
  /** The newest commit of readings. The version is that of the commit that precedes it. */
  let readings: { commit: DatabaseVersion; version: DatabaseVersion } | undefined
  const open = () => {
    sqlite = new Sqlite(file, { timeout })
    opened += 1
    return sqlite.prepare<[]>('PRAGMA data_version').raw()
  }
  const close = () => {
    commits = undefined
    sqlite?.close()
    sqlite = undefined
  }
  const lastCommit = (): DatabaseVersion | undefined => {
    try {
      commits ??= open()
      return `${opened} ${commits.get()}`
    } catch {
      close()
      return undefined
    }
  }
  const version = (): DatabaseVersion | undefined => {
    const commit = lastCommit()
    return commit === readings?.commit ? readings?.version : commit
  }
  /** The number that SQLite gives the writing connection is another one after commits of others. */
  const commitsOfOthers = async () => (await client.execute('PRAGMA data_version')).rows[0]?.[0]
  /** Runs a write that leaves the version as it is, unless others have written meanwhile. */
  const writeReadings = async <T>(
    write: () => Promise<T>,
    only_readings: true | ((result: T) => boolean),
  ): Promise<T> => {
    const others = await commitsOfOthers()
    const before = version()
    const result = await write()
    const commit = lastCommit()
    const isAlone = others === (await commitsOfOthers())
    const isReading = only_readings === true || only_readings(result)
    if (isAlone && isReading && commit !== undefined && before !== undefined)
      readings = { commit, version: before }
    return result
  }
  return { version, writeReadings, close }
}

const TABLE = getTableName(revision)

export const READ_VERSION = `SELECT version FROM ${TABLE}`

/** Makes a version that was never there before, also in a backup of the records. */
export const NEW_VERSION = `INSERT INTO ${TABLE} (id, version) VALUES (1, lower(hex(randomblob(8))))
  ON CONFLICT (id) DO UPDATE SET version = excluded.version`

/** Returns a client of a server whose statements change the version in the same transaction. */
export function clientWithVersion(client: Client): Client {
  const batch = async (statements: StatementBatch) => {
    const results = await client.batch([...statements, NEW_VERSION], 'write')
    return results.slice(0, -1)
  }
  const execute = async (statement: InStatement) => {
    const [result] = await batch([statement])
    if (!result) throw new Error('a statement had no result')
    return result
  }
  return withMethods(client, { batch, execute })
}

/**
 * Asks a server for the version, in one query at a time for all that wait for it. The query starts
 * after they have asked: it sees every write that was acknowledged before. Undefined when there is
 * no answer.
 */
export function versionOnServer(client: Client): () => Promise<DatabaseVersion | undefined> {
  const read = async () => {
    const { rows } = await client.execute(READ_VERSION)
    return rows[0] && String(rows[0].version)
  }
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<DatabaseVersion | undefined> | undefined
  return () => {
    next ??= last.then(() => {
      next = undefined
      const version = read().catch(() => undefined)
      last = version
      return version
    })
    return next
  }
}
