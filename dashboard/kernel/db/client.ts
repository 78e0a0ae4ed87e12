import type { Client } from '@libsql/client'
import type { BatchItem } from 'drizzle-orm/batch'
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql'
import * as access from './access-schema.ts'
import * as alerts from './alerts-schema.ts'
import * as auth from './auth-schema.ts'
import * as backups from './backup-schema.ts'
import {
  connect,
  connectForVersion,
  connectToServer,
  databaseFileOf,
  LOCK_TIMEOUT_MS,
  withLockRetries,
} from './connect.ts'
import * as copies from './copies-schema.ts'
import {
  clientWithVersion,
  type DatabaseVersion,
  NEW_VERSION,
  versionOfFile,
  versionOnServer,
} from './database-version.ts'
import * as dns from './dns-schema.ts'
import * as domains from './domains-schema.ts'
import { fencedClient } from './fence.ts'
import { fileClient } from './file-client.ts'
import * as identity from './identity-schema.ts'
import * as jobs from './jobs-schema.ts'
import * as leases from './leases-schema.ts'
import * as lost from './lost-schema.ts'
import * as mail from './mail-schema.ts'
import { migrate } from './migrations.ts'
import * as moves from './moves-schema.ts'
import * as numbers from './numbers-schema.ts'
import * as record from './record-schema.ts'
import * as reports from './reports-schema.ts'
import * as repositories from './repositories-schema.ts'
import * as records from './schema.ts'
import * as settings from './settings-schema.ts'
import * as steps from './steps-schema.ts'
import * as trust from './trust-schema.ts'
import * as web from './web-schema.ts'

/** Every table: also what the migrations must create. */
export const schema = {
  ...records,
  ...access,
  ...alerts,
  ...auth,
  ...backups,
  ...repositories,
  ...mail,
  ...identity,
  ...jobs,
  ...leases,
  ...lost,
  ...copies,
  ...moves,
  ...numbers,
  ...record,
  ...reports,
  ...settings,
  ...domains,
  ...dns,
  ...steps,
  ...trust,
  ...web,
}

export type Queries = LibSQLDatabase<typeof schema>
export type Statement = BatchItem<'sqlite'>

interface WriteOptions<T> {
  /**
   * Whether the work writes readings alone, which come several times a second in a large
   * fleet: the version stays, and an answer that shows them is cached for a second at most. On a
   * server, what only the result tells is not known in time.
   */
  only_readings?: true | ((result: T) => boolean)
}

/**
 * The records. They are read at any time; every change goes through `write`, one after another,
 * because two writers on a file freeze the process in SQLite's busy wait.
 */
export interface Database {
  read: Queries
  /** Changes the records, again after a lock of the file, so `work` contains only queries. */
  write<T>(work: (queries: Queries) => Promise<T>, how?: WriteOptions<T>): Promise<T>
  /**
   * Returns the version, which is another one after each change of more than readings, in a round
   * trip on a server; undefined when it cannot be read.
   */
  version(): DatabaseVersion | undefined | Promise<DatabaseVersion | undefined>
  /** Whether several dashboards share the work on these records (leases/). */
  is_shared: boolean
  close(): void
}

/**
 * Opens a database after its migrations, which are those of this version. `before_change` runs before
 * they change one that is not empty.
 */
export async function openDatabase(
  url: string,
  token?: string,
  before_change?: Parameters<typeof migrate>[1],
  known?: Parameters<typeof migrate>[2],
): Promise<Database> {
  const file = databaseFileOf(url)
  const client = file === undefined ? connectToServer({ url, token }) : connect({ url })
  try {
    if (file !== undefined) await withLockRetries(client, () => prepareFile(client))
    await migrate(client, before_change, known)
    if (file === undefined) return await databaseOnServer(client, connectForVersion({ url, token }))
    return databaseOnFile(fileClient(client, file, LOCK_TIMEOUT_MS), file)
  } catch (error) {
    client.close()
    throw error
  }
}

/** Detects a read-only file now: SQLite would keep that state even after a repair. */
async function prepareFile(client: Client): Promise<void> {
  await client.execute('PRAGMA journal_mode = WAL')
  await client.executeMultiple('BEGIN IMMEDIATE; PRAGMA user_version = 1; ROLLBACK')
}

export function databaseOnFile(client: Client, file: string): Database {
  const db = databaseOnClient(client)
  const { version, writeReadings, close } = versionOfFile(client, file, LOCK_TIMEOUT_MS)
  return {
    ...db,
    version,
    // Within its turn: a write before it is a change.
    write: (work, { only_readings } = {}) =>
      db.write(
        only_readings ? (queries) => writeReadings(() => work(queries), only_readings) : work,
      ),
    close() {
      close()
      db.close()
    },
  }
}

/** Returns the records on clients of a server with migrated tables; `asked` reads the version. */
export async function databaseOnServer(client: Client, asked: Client): Promise<Database> {
  // Migrations do not count their changes.
  await client.execute(NEW_VERSION)
  const close = () => {
    asked.close()
    client.close()
  }
  return { ...databaseOnClient(client, true), version: versionOnServer(asked), close }
}

/** Returns the records on a client with migrated tables. Their version is not known. */
export function databaseOnClient(client: Client, is_shared = false): Database {
  const read = drizzle({ client, schema })
  // The writes on a server are counted, and refused to a dashboard that no longer has the lease of its work.
  const queriesOn = (one: Client) => drizzle({ client: fencedClient(one), schema })
  const queries = is_shared ? queriesOn(clientWithVersion(client)) : read
  const write = writer(client, queries, is_shared ? queriesOn(client) : read)
  return {
    read,
    write,
    version: () => undefined,
    is_shared,
    close: () => client.close(),
  }
}

/** Runs all statements or none; in one round trip on a remote server. */
export function batch(queries: Queries, statements: readonly Statement[]): Promise<unknown[]> {
  const [first, ...rest] = statements
  return first ? queries.batch([first, ...rest]) : Promise.resolve([])
}

/** Runs the statements as one write. */
export function writeAll(
  db: Database,
  statements: (queries: Queries) => readonly Statement[],
  how?: WriteOptions<unknown[]>,
): Promise<unknown[]> {
  return db.write((queries) => batch(queries, statements(queries)), how)
}

function writer(client: Client, counted: Queries, uncounted: Queries): Database['write'] {
  let tail: Promise<unknown> = Promise.resolve()
  return (work, how) => {
    const queries = how?.only_readings === true ? uncounted : counted
    const result = tail.then(() => withLockRetries(client, () => work(queries)))
    tail = result.catch(() => undefined)
    return result
  }
}
