import {
  type Client,
  type InArgs,
  type InStatement,
  type InValue,
  LibsqlBatchError,
  LibsqlError,
  type ResultSet,
  type Row,
  type TransactionMode,
} from '@libsql/client'
import Sqlite from 'libsql'
import { BEGIN, type StatementBatch, sqlAndArgs, withArgs, withMethods } from './statements.ts'

/**
 * The maximum of prepared statements that a connection keeps: the text of a statement depends on
 * how many values a list in it has.
 */
const MAX_STATEMENTS = 256

/**
 * Returns a client on a file that prepares each statement once: the client of `@libsql/client`
 * prepares it for every execution, which takes longer than most executions. All of its statements
 * run on one connection, since libSQL executes them synchronously; only interactive transactions
 * use those of `client`.
 */
export function fileClient(client: Client, file: string, timeout: number): Client {
  const connection = new Connection(file, timeout)
  const own: Pick<Client, 'execute' | 'batch' | 'reconnect' | 'close'> = {
    async execute(statement: InStatement, args?: InArgs) {
      return connection.execute(...sqlAndArgs(withArgs(statement, args)))
    },
    batch: async (statements: StatementBatch, mode = 'deferred') =>
      connection.batch(statements, mode),
    async reconnect() {
      connection.close()
      await client.reconnect()
    },
    close() {
      connection.close()
      client.close()
    },
  }
  return withMethods(client, own)
}

type SqliteFailure = Error & { code: string; rawCode?: number }

class Connection {
  readonly #file: string
  readonly #timeout: number
  #sqlite: Sqlite.Database | undefined
  /** The prepared statements, the least recently used first. */
  #prepared = new Map<string, PreparedStatement>()

  constructor(file: string, timeout: number) {
    this.#file = file
    this.#timeout = timeout
  }

  execute(sql: string, args: InArgs) {
    try {
      return execute(this.#prepare(sql), args)
    } catch (error) {
      throw this.#failed(error)
    }
  }

  batch(statements: StatementBatch, mode: TransactionMode) {
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

  close(): void {
    this.#prepared = new Map()
    this.#sqlite?.close()
    this.#sqlite = undefined
  }

  #step(statement: StatementBatch[number], place: number) {
    try {
      return this.execute(...sqlAndArgs(statement))
    } catch (error) {
      if (!(error instanceof LibsqlError)) throw error
      const { message, code, extendedCode, rawCode, cause } = error
      throw new LibsqlBatchError(
        ...([message, place, code, extendedCode, rawCode] as const),
        cause instanceof Error ? cause : undefined,
      )
    }
  }

  #prepare(sql: string): PreparedStatement {
    this.#sqlite ??= new Sqlite(this.#file, { timeout: this.#timeout })
    const known = this.#prepared.get(sql)
    const prepared = known ?? prepare(this.#sqlite, sql)
    if (known) this.#prepared.delete(sql)
    else if (this.#prepared.size >= MAX_STATEMENTS) this.#forgetOldest()
    this.#prepared.set(sql, prepared)
    return prepared
  }

  #forgetOldest(): void {
    const [oldest] = this.#prepared.keys()
    if (oldest !== undefined) this.#prepared.delete(oldest)
  }

  /**
   * Returns an error as the client of `@libsql/client` reports it. After anything but a violated
   * constraint the connection is opened again: a statement that has not ended would keep reading
   * the records of this moment.
   */
  #failed(error: unknown): unknown {
    if (!(error instanceof Sqlite.SqliteError)) {
      this.close()
      return error
    }
    const { message, code, rawCode } = error as unknown as SqliteFailure
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

interface PreparedStatement {
  statement: Sqlite.Statement<unknown[]>
  /** The shape of the returned rows; undefined when the statement returns no rows. */
  shape: RowShape | undefined
}

interface RowShape {
  columns: string[]
  types: string[]
  row: new (values: readonly unknown[]) => object
}

/** Prepares a statement. Throws the error of libSQL. */
function prepare(sqlite: Sqlite.Database, sql: string): PreparedStatement {
  const statement = sqlite.prepare<unknown[]>(sql).safeIntegers(true)
  if (!statement.reader) return { statement, shape: undefined }
  const found = statement.raw(true).columns()
  const columns = found.map(({ name }) => name)
  const types = found.map(({ type }) => type ?? '')
  return { statement, shape: { columns, types, row: rowOf(columns) } }
}

/** Executes a statement with the result of the client of `@libsql/client`. */
function execute({ statement, shape }: PreparedStatement, args: InArgs): ResultSet {
  const values = Array.isArray(args) ? args.map(toSqlite) : boundByName(args)
  if (!shape) {
    const { changes, lastInsertRowid } = statement.run(values)
    const result = new QueryResult(NO_COLUMNS, [])
    return Object.assign(result, {
      rowsAffected: changes,
      lastInsertRowid: BigInt(lastInsertRowid),
    })
  }
  const found = statement.all(values) as unknown[][]
  return new QueryResult(
    shape,
    found.map((row) => new shape.row(row.map(fromSqlite)) as Row),
  )
}

class QueryResult implements ResultSet {
  rowsAffected = 0
  lastInsertRowid: bigint | undefined
  readonly columns: string[]
  readonly columnTypes: string[]
  readonly rows: Row[]

  constructor({ columns, types }: Omit<RowShape, 'row'>, rows: Row[]) {
    this.columns = columns
    this.columnTypes = types
    this.rows = rows
  }

  toJSON() {
    return { ...this, lastInsertRowid: this.lastInsertRowid?.toString() }
  }
}

const NO_COLUMNS = { columns: [], types: [] }

/** A row with its values by place and by the name of their column; the first of equal names. */
class NamedRow {
  readonly #values: readonly unknown[]

  constructor(values: readonly unknown[]) {
    this.#values = values
  }

  get length(): number {
    return this.#values.length
  }

  static valueAt(row: NamedRow, place: number): unknown {
    return row.#values[place]
  }
}

function rowOf(columns: readonly string[]): RowShape['row'] {
  const names = [...new Set(columns)].filter((name) => name !== 'length')
  const places = names.map((name) => [name, columns.indexOf(name)] as const)
  class RowOf extends NamedRow {
    constructor(values: readonly unknown[]) {
      super(values)
      const named = this as unknown as Record<string, unknown>
      for (const [name, place] of places) named[name] = values[place]
    }
  }
  for (const place of columns.keys())
    Object.defineProperty(RowOf.prototype, place, {
      get(this: NamedRow) {
        return NamedRow.valueAt(this, place)
      },
    })
  return RowOf
}

function fromSqlite(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value)
    if (Number.isSafeInteger(number)) return number
    throw new RangeError('A number in the records is too large')
  }
  return value instanceof Uint8Array ? value.buffer : value
}

function boundByName(args: Record<string, InValue>): Record<string, unknown> {
  const entries = Object.entries(args)
  return Object.fromEntries(
    entries.map(([name, value]) => [name.replace(/^[@$:]/, ''), toSqlite(value)]),
  )
}

function toSqlite(value: InValue): unknown {
  switch (typeof value) {
    case 'boolean':
      return value ? 1 : 0
    case 'number':
      if (Number.isFinite(value)) return value
      throw new RangeError('A number must be finite')
    case 'undefined':
      throw new TypeError('A value must not be undefined')
    default:
      if (value instanceof ArrayBuffer) return Buffer.from(value)
      return value instanceof Date ? value.valueOf() : value
  }
}
