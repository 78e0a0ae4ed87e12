import type { InArgs, InValue, ResultSet, Row } from '@libsql/client'
import type Sqlite from 'libsql'

/** A prepared statement, and what is known of it. */
export interface Prepared {
  statement: Sqlite.Statement<unknown[]>
  /** Undefined: it returns no rows. */
  shape: Shape | undefined
  /** What it may change: nothing, readings, the rows that it reports, or anything. */
  changes: 'nothing' | 'readings' | 'rows' | 'anything'
}

interface Shape {
  columns: string[]
  types: string[]
  row: new (values: readonly unknown[]) => object
}

/** Starts a statement that stores only readings: measurements, and the time of a contact. */
export const READINGS = '/* readings */'

/** A common table expression may be part of a write. */
const READS = /^\s*(select|explain|pragma data_version)\b/i

const REPORTS = /^\s*(insert|update|delete|replace)\b/i

export const isOfReadings = (sql: string): boolean => sql.trimStart().startsWith(READINGS)

function changesOf(sql: string): Prepared['changes'] {
  if (READS.test(sql)) return 'nothing'
  if (isOfReadings(sql)) return 'readings'
  return REPORTS.test(sql) ? 'rows' : 'anything'
}

/** Throws the error of libSQL. */
export function prepare(sqlite: Sqlite.Database, sql: string): Prepared {
  const statement = sqlite.prepare<unknown[]>(sql).safeIntegers(true)
  const changes = changesOf(sql)
  if (!statement.reader) return { statement, shape: undefined, changes }
  const found = statement.raw(true).columns()
  const columns = found.map(({ name }) => name)
  const types = found.map(({ type }) => type ?? '')
  return { statement, shape: { columns, types, row: rowOf(columns) }, changes }
}

/** Whether the execution may have changed more than readings. With `returning`, the rows count. */
export function mayHaveChanged({ changes }: Prepared, { rowsAffected, rows }: ResultSet): boolean {
  return changes === 'rows' ? rowsAffected > 0 || rows.length > 0 : changes === 'anything'
}

/** With the result of the client of `@libsql/client`. */
export function execute({ statement, shape }: Prepared, args: InArgs): ResultSet {
  const values = Array.isArray(args) ? args.map(bound) : boundByName(args)
  if (!shape) {
    const { changes, lastInsertRowid } = statement.run(values)
    const result = new Found(NO_COLUMNS, [])
    return Object.assign(result, {
      ...{ rowsAffected: changes, lastInsertRowid: BigInt(lastInsertRowid) },
    })
  }
  const found = statement.all(values) as unknown[][]
  return new Found(
    shape,
    found.map((row) => new shape.row(row.map(read)) as Row),
  )
}

class Found implements ResultSet {
  rowsAffected = 0
  lastInsertRowid: bigint | undefined
  readonly columns: string[]
  readonly columnTypes: string[]
  readonly rows: Row[]

  constructor({ columns, types }: Omit<Shape, 'row'>, rows: Row[]) {
    this.columns = columns
    this.columnTypes = types
    this.rows = rows
  }

  toJSON() {
    return { ...this, lastInsertRowid: this.lastInsertRowid?.toString() }
  }
}

const NO_COLUMNS = { columns: [], types: [] }

/** Values by their place and by the name of their column; of equal names, the first. */
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

function rowOf(columns: readonly string[]): Shape['row'] {
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

function read(value: unknown): unknown {
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
    entries.map(([name, value]) => [name.replace(/^[@$:]/, ''), bound(value)]),
  )
}

function bound(value: InValue): unknown {
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
