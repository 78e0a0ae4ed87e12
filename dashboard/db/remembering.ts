import {
  type Client,
  type InArgs,
  type InStatement,
  LibsqlBatchError,
  LibsqlError,
  type TransactionMode,
} from '@libsql/client'
import Sqlite from 'libsql'
import { execute, mayHaveChanged, type Prepared, prepare } from './prepared.ts'
import { type Batch, BEGIN, textOf, together, withMethods } from './statements.ts'
import type { Version } from './version.ts'

/** Of one connection: the text of a statement depends on how many values a list in it has. */
const MAX_STATEMENTS = 256

export interface Remembering extends Client {
  /**
   * After the commits of all processes; those of others count as changes of more than readings
   * (`READINGS`). Undefined when the file cannot be read at the moment. A statement that found no row
   * to change does not count.
   */
  version(): Version | undefined
}

/**
 * A client on a file that prepares each statement once: the client of `@libsql/client` prepares it for
 * every execution, which takes longer than most executions. All of its statements run on one connection,
 * since libSQL executes them synchronously; only interactive transactions use those of `client`.
 */
export function remembering(client: Client, file: string, timeout: number): Remembering {
  const connection = new Connection(file, timeout)
  const own: Pick<Remembering, 'execute' | 'batch' | 'reconnect' | 'close' | 'version'> = {
    async execute(statement: InStatement, args?: InArgs) {
      return connection.execute(...textOf(together(statement, args)))
    },
    batch: async (statements: Batch, mode = 'deferred') => connection.batch(statements, mode),
    async reconnect() {
      connection.close()
      await client.reconnect()
    },
    close() {
      connection.close()
      client.close()
    },
    version: () => connection.version(),
  }
  return withMethods(client, own)
}

const OF_TRANSACTIONS: ReadonlySet<string> = new Set([
  ...Object.values(BEGIN),
  'COMMIT',
  'ROLLBACK',
])

type Failure = Error & { code: string; rawCode?: number }

class Connection {
  readonly #file: string
  readonly #timeout: number
  #sqlite: Sqlite.Database | undefined
  /** The least recently used first. */
  #prepared = new Map<string, Prepared>()
  #commits: Sqlite.Statement<[]> | undefined
  #opened = 0
  /** How many of its own statements have changed more than readings, or may have. */
  #changes = 0
  /** And how many have stored readings. */
  #readings = 0

  constructor(file: string, timeout: number) {
    this.#file = file
    this.#timeout = timeout
  }

  execute(sql: string, args: InArgs) {
    try {
      const prepared = this.#prepare(sql)
      const result = execute(prepared, args)
      if (prepared.changes === 'readings') this.#readings += 1
      else if (mayHaveChanged(prepared, result) && !OF_TRANSACTIONS.has(sql)) this.#changes += 1
      return result
    } catch (error) {
      throw this.#failed(error)
    }
  }

  batch(statements: Batch, mode: TransactionMode) {
    this.execute(BEGIN[mode], [])
    try {
      const results = statements.map((statement, place) => this.#step(statement, place))
      this.execute('COMMIT', [])
      return results
    } catch (error) {
      // A connection that was closed has rolled back.
      if (this.#sqlite?.inTransaction) this.execute('ROLLBACK', [])
      throw error
    }
  }

  /**
   * It counts its own changes; `PRAGMA data_version` counts the commits of other connections, and only
   * those (sqlite.org/pragma.html).
   */
  version(): Version | undefined {
    if (this.#sqlite?.inTransaction) return undefined
    try {
      // For each request for a list: without what other statements need.
      this.#sqlite ??= this.#open()
      this.#commits ??= this.#sqlite.prepare<[]>('PRAGMA data_version').raw()
      const [commits] = this.#commits.get() as [number]
      return { substance: `${this.#opened} ${commits} ${this.#changes}`, readings: this.#readings }
    } catch {
      this.close()
      return undefined
    }
  }

  close(): void {
    this.#prepared = new Map()
    this.#commits = undefined
    this.#sqlite?.close()
    this.#sqlite = undefined
  }

  #step(statement: Batch[number], place: number) {
    try {
      return this.execute(...textOf(statement))
    } catch (error) {
      if (!(error instanceof LibsqlError)) throw error
      const { message, code, extendedCode, rawCode, cause } = error
      throw new LibsqlBatchError(
        ...([message, place, code, extendedCode, rawCode] as const),
        cause instanceof Error ? cause : undefined,
      )
    }
  }

  #prepare(sql: string): Prepared {
    this.#sqlite ??= this.#open()
    const known = this.#prepared.get(sql)
    const prepared = known ?? prepare(this.#sqlite, sql)
    if (known) this.#prepared.delete(sql)
    else if (this.#prepared.size >= MAX_STATEMENTS) this.#forgetOldest()
    this.#prepared.set(sql, prepared)
    return prepared
  }

  #open(): Sqlite.Database {
    this.#opened += 1
    return new Sqlite(this.#file, { timeout: this.#timeout })
  }

  #forgetOldest(): void {
    const [oldest] = this.#prepared.keys()
    if (oldest !== undefined) this.#prepared.delete(oldest)
  }

  /**
   * As the client of `@libsql/client` reports it. After anything but a violated constraint the connection
   * is opened again: a statement that has not ended would keep reading the records of this moment.
   */
  #failed(error: unknown): unknown {
    if (!(error instanceof Sqlite.SqliteError)) {
      this.close()
      return error
    }
    const { message, code, rawCode } = error as unknown as Failure
    const base = CODES[(rawCode ?? 0) & 0xff] ?? 'SQLITE_UNKNOWN'
    if (base !== 'SQLITE_CONSTRAINT') this.close()
    return new LibsqlError(message, base, code, rawCode, error)
  }
}

/** The names of the primary result codes that have a meaning here (sqlite.org/rescode.html). */
const CODES: Record<number, string> = {
  1: 'SQLITE_ERROR',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
}
