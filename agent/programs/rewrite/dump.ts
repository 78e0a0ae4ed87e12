import type { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import { NeedleSearch } from './needle-search.ts'
import { type RewriteReport, Tally } from './report.ts'
import type { RewriteRequest } from './request.ts'
import { InsertRows } from './rows.ts'
import { anchorsOf } from './rules.ts'
import { afterBlank, afterStatement, afterToken, afterWord, isWord, NEWLINE } from './sql.ts'
import { DumpWindow } from './window.ts'

/** The first words of statements that mariadb-dump writes around the sections of its tables. */
const STATEMENTS_AROUND = new Set(['', 'SET', 'UNLOCK', 'START', 'COMMIT'])

/** The words between the first word of a statement and the name of its table. */
const BEFORE_NAME = new Set(
  'TABLE TABLES SEQUENCE IF NOT EXISTS OR REPLACE INTO IGNORE SETVAL ('.split(' '),
)

/** Decides which statements of a dump belong to the requested tables. */
class ChosenTables {
  readonly #chosen: ReadonlySet<string> | undefined
  readonly #missing: Set<string>

  /** `tables`: those whose statements pass; without a list all do. */
  constructor(tables: readonly string[] | undefined) {
    this.#chosen = tables && new Set(tables)
    this.#missing = new Set(tables)
  }

  has(table: string): boolean {
    return this.#chosen?.has(table) ?? true
  }

  /** Returns whether a whole statement passes; `name` is its first word. */
  passes(
    bytes: Buffer,
    { start, end, name }: { start: number; end: number; name: string },
    backslashes: boolean,
  ): boolean {
    if (!this.#chosen || STATEMENTS_AROUND.has(name)) return true
    const table = subjectOf(bytes, start + name.length, end, backslashes)
    if (name === 'CREATE') this.#missing.delete(table)
    return this.#chosen.has(table)
  }

  /** Returns the tables of the list that the dump has not created so far. */
  get missing(): string[] {
    return [...this.#missing]
  }
}

/** Returns the first name of a statement, without its database. */
function subjectOf(bytes: Buffer, from: number, end: number, backslashes: boolean): string {
  let name = ''
  let isExpected = true
  for (const { text, kind } of tokensOf(bytes, from, end, backslashes)) {
    if (name === '' && kind !== 'quoted' && BEFORE_NAME.has(text.toUpperCase())) continue
    const isDot = kind === 'word' && text === '.'
    if (kind === 'other' || !(isDot || isExpected)) break
    if (!isDot) name = text
    isExpected = isDot
  }
  return name
}

/** Thrown when the dump ends inside a statement, or has one that is too long. */
class DumpError extends Error {}

/** The maximum size of a statement without rows: definitions of tables and triggers are short. */
const MAX_STATEMENT = 2 ** 24

const COUNT_NOTHING = {
  anchors: [],
  emails: false,
  skip: [],
  examples: 0,
  kinds: 0,
  changed: false,
  digest: false,
  ignore: [],
}

/**
 * Replaces addresses in the values of a dump of mariadb-dump, which may arrive in any chunks; all
 * other bytes stay the same. `write` must use its bytes before it returns. Memory grows with the
 * largest value, up to the limit of the request.
 */
export class DumpRewriter {
  readonly #request: RewriteRequest
  readonly #window: DumpWindow
  readonly #tally: Tally
  readonly #chosen: ChosenTables
  /** Counts what happens to tables that are left out. */
  readonly #nothing = new Tally(COUNT_NOTHING)
  readonly #backslashes: boolean
  readonly #columns = new Map<string, readonly string[]>()
  #delimiter = ';'
  #rows: InsertRows | undefined
  /** True after the rows of an INSERT, up to its delimiter. */
  #isTail = false

  constructor(request: RewriteRequest, write: (bytes: Uint8Array) => void) {
    const anchors = anchorsOf(request.rules)
    this.#request = request
    this.#backslashes = !request.no_backslash_escapes
    this.#window = new DumpWindow(new NeedleSearch(anchors), write)
    this.#tally = new Tally({ ...request, anchors })
    this.#chosen = new ChosenTables(request.tables)
  }

  push(chunk: Uint8Array): void {
    const shift = this.#window.append(chunk)
    this.#rows?.shift(shift)
    while (this.#step());
    this.#window.pass(this.#window.at)
    const waiting = this.#window.end - this.#window.at
    if (waiting > MAX_STATEMENT + this.#request.max_value_bytes) {
      throw new DumpError('a statement has more bytes than the limit')
    }
  }

  /** Throws a DumpError if the dump is cut off. */
  end(): RewriteReport {
    const { bytes, at, end, total } = this.#window
    this.#window.pass(end)
    if (this.#rows || afterBlank(bytes, at, end) >= 0) {
      throw new DumpError('the dump ends inside a statement')
    }
    const report = this.#tally.report({ ...total })
    return this.#request.tables ? { ...report, missing: this.#chosen.missing } : report
  }

  /** Reads the next part; returns false when the input ends first. */
  #step(): boolean {
    if (this.#rows) return this.#afterRows(this.#rows)
    const { bytes, at, end } = this.#window
    const start = afterBlank(bytes, at, end)
    if (start < 0) return false
    const word = afterWord(bytes, start, end)
    if (word < 0) return false
    const name = bytes.toString('latin1', start, word).toUpperCase()
    if (name === 'DELIMITER') return this.#setDelimiter(word)
    const isInsert = (name === 'INSERT' || name === 'REPLACE') && !this.#isTail
    const head = isInsert ? insertHead(bytes, word, end, this.#backslashes) : null
    if (head === undefined) return false
    if (head === null) return this.#statement(start, name)
    this.#rows = this.#rowsAfter(head)
    return true
  }

  #rowsAfter(head: TableHead): InsertRows {
    const window = this.#window
    if (!this.#chosen.has(head.table)) window.mute()
    window.at = head.at
    const columns = head.columns.length > 0 ? head.columns : (this.#columns.get(head.table) ?? [])
    const tally = window.isMuted ? this.#nothing : this.#tally
    const table = tally.table(head.table)
    const watched = table.digest?.watched(columns) ?? []
    const { max_value_bytes } = this.#request
    return new InsertRows(
      { tally: table, columns, watched },
      { window, tally, backslashes: this.#backslashes, max_value_bytes },
    )
  }

  /** Reads what follows the rows up to the delimiter as a statement of its own kind. */
  #afterRows(rows: InsertRows): boolean {
    if (!rows.read()) return false
    this.#rows = undefined
    this.#isTail = true
    return true
  }

  #statement(start: number, name: string): boolean {
    const window = this.#window
    const { bytes, end } = window
    const lexing = { delimiter: this.#delimiter, backslashes: this.#backslashes }
    const after = afterStatement(bytes, start, end, lexing)
    if (after < 0) return false
    const isTail = this.#isTail
    this.#isTail = false
    const statement = { start, end: after, name }
    const passes = isTail ? !window.isMuted : this.#passes(statement)
    if (!passes) return this.#leaveOut(after)
    if (name === 'CREATE') {
      const { table, columns, is_table } = createdTable(bytes, start, after, this.#backslashes)
      this.#columns.set(table, columns)
      if (is_table && this.#request.digest) this.#define(table, start, after)
    }
    for (; window.next < after; window.look(window.next + 1)) {
      if (window.next < start) continue
      const { text, at } = window.around(window.next)
      this.#tally.left({ table: '', column: '', reason: 'not_data' }, text, at)
    }
    window.at = after
    return true
  }

  #define(table: string, start: number, end: number): void {
    const tally = this.#tally.table(table)
    if (!this.#request.definitions) return
    tally.definition = definitionOf(this.#window.bytes.toString('latin1', start, end))
  }

  #passes(statement: { start: number; end: number; name: string }): boolean {
    return this.#chosen.passes(this.#window.bytes, statement, this.#backslashes)
  }

  #leaveOut(to: number): true {
    const window = this.#window
    window.mute()
    window.at = to
    window.unmute()
    if (window.next < to) window.look(to)
    return true
  }

  /** Reads a line of the client, which has no delimiter of its own. */
  #setDelimiter(from: number): boolean {
    const { bytes } = this.#window
    const end = bytes.indexOf(NEWLINE, from)
    if (end < 0) return false
    this.#delimiter = bytes.toString('latin1', from, end).trim() || ';'
    this.#window.at = end + 1
    return true
  }
}

/** Returns the digest of a CREATE TABLE without its next automatic number. */
export const definitionOf = (statement: string): string =>
  hash('sha256', statement.replace(/(\n\) ENGINE=\w+) AUTO_INCREMENT=\d+/, '$1'))

/** A table and its columns in the order of a row, as far as the dump names them. */
interface TableHead {
  table: string
  columns: readonly string[]
  /** The position after the head. */
  at: number
}

type SqlToken = { text: string; kind: 'word' | 'quoted' | 'other'; end: number }

/** Returns the next token that is not blank, names without their quotes; undefined at the end. */
function tokenAt(bytes: Buffer, from: number, end: number, backslashes: boolean) {
  const at = afterBlank(bytes, from, end)
  if (at < 0) return undefined
  const byte = bytes[at]
  const word = isWord(byte)
  const stop = word ? afterWord(bytes, at, end) : afterToken(bytes, at, end, backslashes)
  if (stop < 0) return undefined
  const text = bytes.toString('utf8', at, stop)
  const isQuoted = byte === 96 || byte === 34
  const kind = isQuoted ? 'quoted' : word ? 'word' : 'other'
  return { text: isQuoted ? unquoted(text) : text, kind, end: stop } satisfies SqlToken
}

const unquoted = (name: string) => {
  const quote = name[0] ?? ''
  return name.slice(1, -1).replaceAll(quote + quote, quote)
}

function* tokensOf(bytes: Buffer, from: number, end: number, backslashes: boolean) {
  let at = from
  for (let token = next(); token; token = next()) yield token
  function next(): SqlToken | undefined {
    const token = tokenAt(bytes, at, end, backslashes)
    at = token?.end ?? at
    return token
  }
}

/** Parses `INSERT INTO table (columns) VALUES`: null without values, undefined at the end. */
function insertHead(
  bytes: Buffer,
  from: number,
  end: number,
  backslashes: boolean,
): TableHead | null | undefined {
  const names: string[] = []
  let table: string | undefined
  for (const { text, kind, end: at } of tokensOf(bytes, from, end, backslashes)) {
    const word = wordOf({ text, kind })
    if (VALUES.has(word)) return headOf(table, names, at)
    if (NO_VALUES.has(word)) return null
    if (kind !== 'other') names.push(text)
    // Names in parentheses are columns.
    else if (text === '(') table = names.splice(0).pop()
  }
  return undefined
}

function headOf(table: string | undefined, names: readonly string[], at: number): TableHead {
  if (table === undefined) return { table: names.at(-1) ?? '', columns: [], at }
  return { table, columns: names, at }
}

const wordOf = ({ text, kind }: Pick<SqlToken, 'text' | 'kind'>) =>
  kind === 'quoted' ? '' : text.toUpperCase()

const VALUES = new Set(['VALUES', 'VALUE'])
const NO_VALUES = new Set(['SELECT', 'SET', ';'])

/** Returns the columns of a whole `CREATE TABLE`. Other statements have some, too, and no rows. */
function createdTable(bytes: Buffer, from: number, end: number, backslashes: boolean) {
  const tokens = tokensOf(bytes, from, end, backslashes)
  const words: string[] = []
  for (const { text, kind } of tokens) {
    if (kind !== 'other') words.push(text)
    else if (text === '(') return { ...tableOf(words), columns: [...columnsOf(tokens)] }
  }
  return { ...tableOf(words), columns: [] }
}

function tableOf(words: readonly string[]) {
  const kind = words[1]?.toUpperCase()
  if (kind === 'SEQUENCE') return { table: words[2] ?? '', is_table: true }
  return { table: words.at(-1) ?? '', is_table: kind === 'TABLE' }
}

/** Yields the first names of the definitions, without keys. */
function* columnsOf(tokens: Iterable<SqlToken>): Generator<string> {
  let depth = 1
  let isFirst = true
  for (const { text, kind } of tokens) {
    const isKey = KEYS.has(wordOf({ text, kind }))
    if (isFirst && kind !== 'other' && !isKey) yield text
    if (kind === 'other') depth += DEPTHS[text] ?? 0
    if (depth === 0) return
    isFirst = depth === 1 && kind === 'other' && text === ','
  }
}

const DEPTHS: Record<string, number> = { '(': 1, ')': -1 }
const KEYS = new Set(
  'PRIMARY KEY UNIQUE INDEX FULLTEXT SPATIAL CONSTRAINT FOREIGN CHECK PERIOD VECTOR'.split(' '),
)
