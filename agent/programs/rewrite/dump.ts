import { ChosenTables } from './chosen-tables.ts'
import { definitionOf } from './definition.ts'
import { Gate } from './gate.ts'
import { type RewriteReport, Tally } from './report.ts'
import type { RewriteRequest } from './request.ts'
import { Rows } from './rows.ts'
import { anchorsOf } from './rules.ts'
import { afterBlank, afterStatement, afterWord, NEWLINE } from './sql.ts'
import { createdTable, insertHead, type TableHead } from './tables.ts'
import { Window } from './window.ts'

/** The dump ends inside a statement, or has one that is too long. */
class DumpError extends Error {}

/** Everything around the rows of a dump is short: definitions of tables, views and triggers. */
const MAX_STATEMENT = 2 ** 24

const NOTHING = {
  ...{ anchors: [], emails: false, skip: [], examples: 0, kinds: 0, changed: false },
  ...{ digest: false, ignore: [] },
}

/**
 * Replaces addresses in the values of a dump of mariadb-dump, which may arrive in any chunks; all
 * other bytes stay the same. `write` must use its bytes before it returns. Memory grows with the
 * largest value, up to the limit of the request.
 */
export class DumpRewriter {
  readonly #request: RewriteRequest
  readonly #window: Window
  readonly #tally: Tally
  readonly #chosen: ChosenTables
  /** Counts what happens to tables that are left out. */
  readonly #nothing = new Tally(NOTHING)
  readonly #backslashes: boolean
  readonly #columns = new Map<string, readonly string[]>()
  #delimiter = ';'
  #rows: Rows | undefined
  /** After the rows of an INSERT, up to its delimiter. */
  #isTail = false

  constructor(request: RewriteRequest, write: (bytes: Uint8Array) => void) {
    const anchors = anchorsOf(request.rules)
    this.#request = request
    this.#backslashes = !request.no_backslash_escapes
    this.#window = new Window(new Gate(anchors), write)
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

  /** Reads the next part; false when the input ends first. */
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

  #rowsAfter(head: TableHead): Rows {
    const window = this.#window
    if (!this.#chosen.has(head.table)) window.mute()
    window.at = head.at
    const columns = head.columns.length > 0 ? head.columns : (this.#columns.get(head.table) ?? [])
    const tally = window.isMuted ? this.#nothing : this.#tally
    const table = tally.table(head.table)
    const watched = table.digest?.watched(columns) ?? []
    const { max_value_bytes } = this.#request
    return new Rows(
      { tally: table, columns, watched },
      { window, tally, backslashes: this.#backslashes, max_value_bytes },
    )
  }

  /** What follows the rows up to the delimiter is a statement of its own kind. */
  #afterRows(rows: Rows): boolean {
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

  /** A line of the client, without a delimiter of its own. */
  #setDelimiter(from: number): boolean {
    const { bytes } = this.#window
    const end = bytes.indexOf(NEWLINE, from)
    if (end < 0) return false
    this.#delimiter = bytes.toString('latin1', from, end).trim() || ';'
    this.#window.at = end + 1
    return true
  }
}
