import { Buffer } from 'node:buffer'
import { createHash, type Hash, hash } from 'node:crypto'
import type { RewriteContext, UnchangedReason } from './rewrite-text.ts'
import type { AddressAnchor } from './rules.ts'
import type { EncodingForm } from './spellings.ts'
import type { DumpWindow } from './window.ts'

/**
 * The reason why an old address remains: `skipped` column, `base64`, `too_large` value, `not_data`
 * (SQL around the rows, such as views and triggers), or the kind of the text around it.
 */
export type LeftReason = UnchangedReason | 'skipped' | 'base64' | 'too_large' | 'not_data'

export interface ChangedColumn {
  column: string
  /** The number of changed values. */
  changed: number
  replaced: Partial<Record<EncodingForm, number>>
  /** The number of replacements in serialised strings. */
  serialized: number
}

export interface LeftOccurrences {
  table: string
  column: string
  reason: LeftReason
  count: number
  examples: string[]
}

interface TableReport {
  table: string
  rows: number
  /** The digest of all rows before they change, if digests are requested. */
  sha256?: string
  /** The SHA-256 of its CREATE TABLE without AUTO_INCREMENT, which rows decide. */
  definition?: string
  columns: ChangedColumn[]
}

export interface RewriteReport {
  bytes: { read: number; written: number }
  replaced: number
  /** All tables with rows, and with digests also those without; each column has one value for each row. */
  tables: TableReport[]
  left: LeftOccurrences[]
  /** The tables of the request that the dump does not have; absent without such a list. */
  missing?: string[]
}

/** Counts what happens to the values of one column. */
export class ColumnTally implements RewriteContext {
  readonly anchors: readonly AddressAnchor[]
  readonly emails: boolean
  readonly skip: boolean
  readonly column: ChangedColumn
  readonly #left: (reason: LeftReason, text: string, at: number) => void

  constructor(
    column: string,
    rules: { anchors: readonly AddressAnchor[]; emails: boolean; skip: boolean },
    left: (reason: LeftReason, text: string, at: number) => void,
  ) {
    this.anchors = rules.anchors
    this.emails = rules.emails
    this.skip = rules.skip
    this.column = { column, changed: 0, replaced: {}, serialized: 0 }
    this.#left = left
  }

  replaced(form: EncodingForm, isSerialized: boolean): void {
    const { replaced } = this.column
    replaced[form] = (replaced[form] ?? 0) + 1
    if (isSerialized) this.column.serialized++
  }

  left(reason: LeftReason, text: string, at: number): void {
    this.#left(reason, text, at)
  }
}

export interface TableTally {
  table: string
  rows: number
  columns: Map<string, ColumnTally>
  digest?: TableDigest | undefined
  definition?: string
}

export interface TallyOptions {
  anchors: readonly AddressAnchor[]
  emails: boolean
  skip: readonly string[]
  examples: number
  digest: boolean
  ignore: readonly { table: string; column: string; values: readonly string[] }[]
  kinds: number
  changed: boolean
}

/** Counts what happens to a dump. A report grows with the number of tables, not of rows. */
export class Tally {
  readonly #options: TallyOptions
  readonly #skip: readonly RegExp[]
  readonly #tables = new Map<string, TableTally>()
  readonly #left = new Map<string, LeftOccurrences>()

  constructor(options: TallyOptions) {
    this.#options = options
    this.#skip = options.skip.map(patternOf)
  }

  table(table: string): TableTally {
    const known = this.#tables.get(table)
    if (known) return known
    const digest = this.#options.digest ? new TableDigest(this.#ignoredIn(table)) : undefined
    const tally = { table, rows: 0, columns: new Map(), digest }
    this.#tables.set(table, tally)
    return tally
  }

  #ignoredIn(table: string): IgnoredRows[] {
    const rules = this.#options.ignore.filter((rule) => patternOf(rule.table).test(table))
    return rules.map(({ column, values }) => ({ column, values: values.map(patternOf) }))
  }

  column(table: TableTally, name: string): ColumnTally {
    const known = table.columns.get(name)
    if (known) return known
    const skip = this.#skip.some((pattern) => pattern.test(`${table.table}.${name}`))
    const left = (reason: LeftReason, text: string, at: number) =>
      this.left({ table: table.table, column: name, reason }, text, at)
    const tally = new ColumnTally(name, { ...this.#options, skip }, left)
    table.columns.set(name, tally)
    return tally
  }

  left(
    where: Pick<LeftOccurrences, 'table' | 'column' | 'reason'>,
    text: string,
    at: number,
  ): void {
    const key = JSON.stringify([where.table, where.column, where.reason])
    const known = this.#left.get(key)
    if (!known && this.#left.size >= this.#options.kinds) return
    const left = known ?? { ...where, count: 0, examples: [] }
    left.count++
    if (left.examples.length < this.#options.examples) left.examples.push(excerpt(text, at))
    this.#left.set(key, left)
  }

  report(bytes: RewriteReport['bytes']): RewriteReport {
    const tables = [...this.#tables.values()].map(
      ({ table, rows, columns, digest, definition }) => {
        const tallies = [...columns.values()].map(({ column }) => column)
        const sha256 = digest && { sha256: digest.sha256() }
        const defined = definition !== undefined && { definition }
        return {
          table,
          rows,
          ...sha256,
          ...defined,
          columns: tallies.filter(({ changed }) => changed > 0),
        }
      },
    )
    const counts = tables.flatMap(({ columns }) =>
      columns.flatMap(({ replaced }) => Object.values(replaced)),
    )
    const replaced = counts.reduce((sum, count) => sum + count, 0)
    const left = [...this.#left.values()]
    const { changed, digest } = this.#options
    const shown = changed ? tables : tables.map((table) => ({ ...table, columns: [] }))
    return { bytes, replaced, tables: changed || digest ? shown : [], left }
  }
}

function patternOf(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[^\w]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 'is')
}

const AROUND = 40

/** Returns at most 80 characters around a position, without mailboxes, keys and controls. */
function excerpt(text: string, at: number): string {
  const bytes = text.slice(Math.max(0, at - AROUND), at + AROUND)
  return Buffer.from(bytes, 'latin1')
    .toString('utf8')
    .replace(/[^\x20-\x7e\p{L}\p{M}\p{N}]/gu, '.')
    .replace(/[\p{L}\p{M}\p{N}_.+-]+@/gu, '***@')
    .replace(/[\w+=-]{24,}/g, '***')
}

type ReadPart = Pick<DumpWindow, 'bytes' | 'at'>

/** The rows that a digest leaves out: those with one of these values in a column. */
interface IgnoredRows {
  column: string
  values: readonly RegExp[]
}

const WORDS = 8

/**
 * The digest of the rows of a table: the sum of their SHA-256. It does not depend on their order,
 * which an index may change, nor on how they are grouped into statements and chunks.
 */
class TableDigest {
  readonly #ignored: readonly IgnoredRows[]
  /** The sum of each 32 bits, without a carry. */
  readonly #sum = new Uint32Array(WORDS)
  /** The position where the current row continues; -1 outside of a row. */
  #start = -1
  /** The hash of the read part of a row in several chunks. */
  #part: Hash | undefined
  #isLeftOut = false

  constructor(ignored: readonly IgnoredRows[]) {
    this.#ignored = ignored
  }

  /** Returns whether the values of each column have to be passed to `value`. */
  watched(columns: readonly string[]): boolean[] {
    if (this.#ignored.length === 0) return []
    return columns.map((name) => this.#ignored.some(({ column }) => column === name))
  }

  value(column: string, text: string): void {
    const found = this.#ignored.some(
      (one) => one.column === column && one.values.some((pattern) => pattern.test(text)),
    )
    this.#isLeftOut ||= found
  }

  open({ at }: ReadPart): void {
    this.#start = at
    this.#part = undefined
    this.#isLeftOut = false
  }

  close({ bytes, at }: ReadPart): void {
    const row = bytes.subarray(this.#start, at + 1)
    this.#start = -1
    if (this.#isLeftOut) return
    const digest = this.#part?.update(row).digest() ?? hash('sha256', row, 'buffer')
    for (let word = 0; word < WORDS; word++) {
      this.#sum[word] = (this.#sum[word] ?? 0) + digest.readUInt32LE(4 * word)
    }
  }

  /** Takes the read part of a row: the bytes before the position may be dropped. */
  pass({ bytes, at }: ReadPart): void {
    if (this.#start < 0 || at <= this.#start) return
    this.#part ??= createHash('sha256')
    this.#part.update(bytes.subarray(this.#start, at))
    this.#start = at
  }

  /** Adjusts positions, which have decreased. */
  shift(by: number): void {
    if (this.#start >= 0) this.#start -= by
  }

  sha256(): string {
    return createHash('sha256').update(this.#sum).digest('hex')
  }
}
