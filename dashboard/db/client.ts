import { type Client, createClient } from '@libsql/client'
import type { BatchItem } from 'drizzle-orm/batch'
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql'
import { migrate } from 'drizzle-orm/libsql/migrator'
import * as records from './schema.ts'
import * as trust from './trust-schema.ts'

const schema = { ...records, ...trust }

export type Queries = LibSQLDatabase<typeof schema>
export type Statement = BatchItem<'sqlite'>

/**
 * Records. `read` at any time; every change goes through `write`, one after another, because two
 * writers on a file freeze the process in SQLite's busy wait.
 */
export interface Database {
  read: Queries
  /** Runs again when the file is locked, so `work` holds queries and nothing else. */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  close(): void
}

const REMOTE_TIMEOUT_MS = 10_000
const LOCK_TIMEOUT_MS = 100
const LOCK_TRIES = 50
const LOCK_PAUSE_MS = 50

/** Opens `file:`, `http(s)://` or `libsql://` and brings the tables up to date. */
export async function openDatabase(url: string, authToken?: string): Promise<Database> {
  const client = connect(url, authToken)
  try {
    const read = drizzle({ client, schema })
    if (url.startsWith('file:')) await client.execute('PRAGMA journal_mode = WAL')
    await migrate(read, { migrationsFolder: `${import.meta.dir}/migrations` })
    return { read, write: writer(client, read), close: () => client.close() }
  } catch (error) {
    client.close()
    throw error
  }
}

/** All statements or none; in one round trip on a remote server. */
export function batch(queries: Queries, statements: readonly Statement[]): Promise<unknown[]> {
  const [first, ...rest] = statements
  return first ? queries.batch([first, ...rest]) : Promise.resolve([])
}

function connect(url: string, authToken: string | undefined): Client {
  if (url.startsWith('file:')) return createClient({ url, timeout: LOCK_TIMEOUT_MS })
  const limited = (input: Request) =>
    fetch(input, { signal: AbortSignal.timeout(REMOTE_TIMEOUT_MS) })
  return createClient({ url, fetch: limited, ...(authToken ? { authToken } : {}) })
}

function writer(client: Client, queries: Queries): Database['write'] {
  let tail: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = tail.then(() => persist(client, () => work(queries)))
    tail = result.catch(() => undefined)
    return result
  }
}

/** A connection that met a lock stays broken until it is opened anew (libsql-client-ts#352). */
async function persist<T>(client: Client, work: () => Promise<T>): Promise<T> {
  for (let left = LOCK_TRIES; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left === 0 || !isLocked(error)) throw error
      await client.reconnect()
      await Bun.sleep(LOCK_PAUSE_MS)
    }
  }
}

function isLocked(error: unknown): boolean {
  return causes(error).some((cause) => 'code' in cause && cause.code === 'SQLITE_BUSY')
}

/** The error and what caused it, outermost first: drizzle wraps what libSQL throws. */
function causes(error: unknown): Error[] {
  const chain: Error[] = []
  for (let next = error; next instanceof Error && chain.length < 5; next = next.cause)
    chain.push(next)
  return chain
}

/** By text, because over HTTP libSQL gives no extended code. `column` as in `sites.domain`. */
export function violatesUnique(error: unknown, column: string): boolean {
  return causes(error).some(
    (cause) =>
      !('query' in cause) &&
      cause.message.includes('UNIQUE constraint failed') &&
      cause.message.includes(column),
  )
}
