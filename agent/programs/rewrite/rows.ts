import { Buffer } from 'node:buffer'
import type { ColumnTally, TableTally, Tally } from './report.ts'
import { rewriteText, type TextEdit } from './rewrite-text.ts'
import { afterToken, afterWord, closingQuote, DOUBLE_QUOTE, isBlank, isWord, QUOTE } from './sql.ts'
import type { DumpWindow } from './window.ts'

const [COMMA, OPEN, CLOSE, SEMICOLON, ZERO, X, UNDERSCORE] = [44, 40, 41, 59, 48, 120, 95]

/** The bytes of a long value that are kept to find occurrences across two chunks. */
const KEPT_BYTES = 4096

/** Reads the rows of one INSERT, and rewrites their values. */
export class InsertRows {
  readonly #options: RowOptions
  readonly #window: DumpWindow
  readonly #table: RowTable
  readonly #backslashes: boolean
  #depth = 0
  #column = 0
  /** True after `_binary`. */
  #isBinary = false
  /** The position at which an unfinished value continues; -1 at its start. */
  #resume = -1
  /** The quote of a value that is too long to be kept, and the end of its counted part. */
  #long: { quote: number; counted: number } | undefined

  constructor(table: RowTable, options: RowOptions) {
    this.#table = table
    this.#options = options
    this.#backslashes = options.backslashes
    this.#window = options.window
  }

  /** Reads on. Returns true at the end of the rows; false when the input ends first. */
  read(): boolean {
    const isEnd = this.#read()
    this.#table.tally.digest?.pass(this.#window)
    return isEnd
  }

  #read(): boolean {
    if (this.#long && !this.#passLong(this.#long)) return false
    const { bytes, end } = this.#window
    while (this.#window.at < end) {
      const byte = bytes[this.#window.at]
      if (this.#depth === 0 && (byte === SEMICOLON || isWord(byte))) return true
      if (!this.#token(byte)) return false
    }
    return false
  }

  #token(byte: number | undefined): boolean {
    if (byte === QUOTE || byte === DOUBLE_QUOTE) return this.#string(byte)
    return isWord(byte) ? this.#word() : this.#other(byte)
  }

  /** Adjusts positions, which have decreased. */
  shift(by: number): void {
    if (this.#resume >= 0) this.#resume -= by
    if (this.#long) this.#long.counted -= by
    this.#table.tally.digest?.shift(by)
  }

  #other(byte: number | undefined): boolean {
    if (byte === COMMA) {
      if (this.#depth === 1) this.#nextColumn()
    } else if (byte === OPEN) {
      if (this.#depth++ === 0) this.#table.tally.digest?.open(this.#window)
    } else if (byte === CLOSE) {
      if (--this.#depth === 0) this.#close()
      this.#isBinary = false
    } else if (!isBlank(byte)) return this.#skip()
    this.#window.at++
    return true
  }

  #close(): void {
    this.#table.tally.rows++
    this.#table.tally.digest?.close(this.#window)
    this.#column = 0
  }

  #nextColumn(): void {
    this.#column++
    this.#isBinary = false
  }

  #skip(): boolean {
    const { bytes, at, end } = this.#window
    const next = afterToken(bytes, at, end, this.#backslashes)
    if (next < 0) return false
    this.#window.at = next
    return true
  }

  #string(quote: number): boolean {
    const { at } = this.#window
    const close = this.#endOf(quote, at + 1)
    if (close < 0) return this.#wait(quote, ~close)
    this.#resume = -1
    this.#window.at = close + 1
    if (this.#window.next >= close && !this.#table.watched[this.#column]) return true
    this.#value({ start: at + 1, end: close, kind: 'quoted', backslashes: this.#backslashes })
    return true
  }

  /** Reads a number, NULL, a hexadecimal value, or a prefix such as `_binary`. */
  #word(): boolean {
    const { bytes, at } = this.#window
    const next = this.#endOf(0, at)
    if (next < 0) return this.#wait(0, ~next)
    if (bytes[at] === ZERO && ((bytes[at + 1] ?? 0) | 32) === X) {
      this.#isBinary = true
      this.#value({ start: at + 2, end: next, kind: 'hex', backslashes: false })
    } else {
      this.#resume = -1
      if (bytes[at] === UNDERSCORE)
        this.#isBinary = bytes.toString('latin1', at, next) === '_binary'
    }
    this.#window.at = next
    return true
  }

  /** Returns the end of a string, or of a word, without quotes; `~position` if unknown. */
  #endOf(quote: number, start: number): number {
    const { bytes, end } = this.#window
    const from = this.#resume < 0 ? start : this.#resume
    if (quote !== 0) return closingQuote(bytes, from, end, quote, this.#backslashes)
    const next = afterWord(bytes, from, end)
    return next < 0 ? ~end : next
  }

  /** Waits for more of a value, or stops keeping it. */
  #wait(quote: number, resume: number): false {
    const window = this.#window
    this.#resume = resume
    if (this.#isLong(window.at + (quote === 0 ? 2 : 1), resume)) {
      this.#long = { quote, counted: window.at }
      this.#passLong(this.#long)
    }
    return false
  }

  /** Passes a long value through; returns true at its end. */
  #passLong(long: { quote: number; counted: number }): boolean {
    const window = this.#window
    const end = this.#endOf(long.quote, this.#resume)
    const known = end < 0 ? window.end : end
    long.counted = this.#count(long.counted, known)
    if (end < 0) {
      this.#resume = ~end
      window.at = Math.max(window.at, Math.min(this.#resume, window.end - KEPT_BYTES))
      long.counted = Math.max(long.counted, window.at)
      return false
    }
    this.#long = undefined
    this.#resume = -1
    window.at = long.quote === 0 ? end : end + 1
    return true
  }

  /** Counts occurrences in a long value; returns where the uncounted part starts. */
  #count(from: number, to: number): number {
    const window = this.#window
    let counted = from
    for (window.look(from); window.next < to; window.look(counted)) {
      const { text, at } = window.around(window.next)
      this.#tally().left('too_large', text, at)
      counted = window.next + 1
    }
    return counted
  }

  /** Returns whether a value exceeds the limit, independently of the chunks in which it arrives. */
  #isLong(start: number, end: number): boolean {
    return end - start > this.#options.max_value_bytes
  }

  #value(literal: ValueLiteral): void {
    const window = this.#window
    this.#resume = -1
    if (this.#table.watched[this.#column]) this.#show(literal)
    if (window.next >= literal.end) return
    if (this.#isLong(literal.start, literal.end)) this.#count(literal.start, literal.end)
    else rewriteValue(window, literal, this.#tally(), this.#isBinary)
    window.look(literal.end)
  }

  #show(literal: ValueLiteral): void {
    const { tally, columns } = this.#table
    tally.digest?.value(columns[this.#column] ?? '', textOf(this.#window.bytes, literal))
  }

  #tally(): ColumnTally {
    const { tally, columns } = this.#table
    return this.#options.tally.column(tally, columns[this.#column] ?? `#${this.#column + 1}`)
  }
}

/** The settings for the rows of a statement. */
interface RowOptions {
  window: DumpWindow
  tally: Tally
  backslashes: boolean
  max_value_bytes: number
}

interface RowTable {
  tally: TableTally
  /** The columns in the order of a row, as far as they are known. */
  columns: readonly string[]
  /** Whether each column decides that the digest leaves a row out. */
  watched: readonly boolean[]
}

/** Matches bytes that no text has; a binary format may have lengths and checksums. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for
const CONTROL = /[\0-\x08\x0e-\x1f]/

/** Rewrites one value of a dump, unless its column is skipped, and counts what remains. */
function rewriteValue(
  window: DumpWindow,
  literal: ValueLiteral,
  tally: ColumnTally,
  isBinary: boolean,
): void {
  const text = textOf(window.bytes, literal)
  // A dump escapes no character of Base64, so the search has found it.
  const mayBeEncoded = literal.kind === 'hex' || window.mayBeEncoded(literal.end)
  if (mayBeEncoded || tally.skip) leaveHosts(text, tally)
  if (tally.skip) return
  const edits = rewriteText(text, tally, isBinary && CONTROL.test(text))
  if (edits.length === 0) return
  tally.column.changed++
  window.replace(editsInDump(window.bytes, literal, edits))
}

function leaveHosts(text: string, tally: ColumnTally): void {
  for (const { is_host, text: host, base64 } of tally.anchors) {
    if (!is_host) continue
    for (const encoded of base64) leaveEach(text, encoded, tally, 'base64')
    if (tally.skip) leaveEach(text, host, tally, 'skipped')
  }
}

function leaveEach(text: string, part: string, tally: ColumnTally, reason: 'skipped' | 'base64') {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    tally.left(reason, text, at)
  }
}

/** The position of a value in a dump without its quotes, and its escaping. */
interface ValueLiteral {
  start: number
  end: number
  kind: 'quoted' | 'hex'
  backslashes: boolean
}

const BACKSLASH = 92
const UNESCAPED = Uint8Array.from({ length: 256 }, (_, byte) => byte)
for (const [letter, byte] of Object.entries({ 0: 0, b: 8, t: 9, n: 10, r: 13, Z: 26 })) {
  UNESCAPED[letter.charCodeAt(0)] = byte
}

/** The reused buffer: an allocation for each value takes longer than its decoding. */
let scratch = Buffer.allocUnsafe(1 << 16)

/** Returns the bytes of the value, one character each. */
function textOf(bytes: Buffer, literal: ValueLiteral): string {
  const { start, end, kind } = literal
  if (kind === 'hex')
    return Buffer.from(bytes.toString('latin1', start, end), 'hex').toString('latin1')
  if (scratch.length < end - start) scratch = Buffer.allocUnsafe(2 * (end - start))
  let length = 0
  for (let at = start; at < end; length++) {
    const width = widthAt(bytes, at, literal)
    const byte = bytes[at + width - 1] ?? 0
    scratch[length] = width === 2 && bytes[at] === BACKSLASH ? (UNESCAPED[byte] ?? 0) : byte
    at += width
  }
  return scratch.toString('latin1', 0, length)
}

/** Converts edits of the value to edits of the dump. */
function editsInDump(bytes: Buffer, literal: ValueLiteral, edits: readonly TextEdit[]): TextEdit[] {
  if (literal.kind === 'hex') return edits.map((edit) => hexEdit(bytes, literal, edit))
  const { start: first, backslashes } = literal
  let place = { index: 0, at: first }
  const placeOf = (index: number) => {
    place = walk(bytes, literal, place, index)
    return place.at
  }
  return edits.map(({ start, end, text }) => ({
    start: placeOf(start),
    end: placeOf(end),
    text: backslashes ? text.replaceAll('\\', '\\\\') : text,
  }))
}

function walk(
  bytes: Buffer,
  literal: ValueLiteral,
  from: { index: number; at: number },
  index: number,
) {
  const { start, backslashes } = literal
  const quote = bytes[start - 1]
  let at = from.at
  for (let left = index - from.index; left > 0; left--) {
    const byte = bytes[at]
    if (byte === BACKSLASH) at += backslashes && !isWildcard(bytes[at + 1]) ? 2 : 1
    else at += byte === quote ? 2 : 1
  }
  return { index, at }
}

/** Returns the bytes of the next character: two for an escape and for a doubled quote. */
function widthAt(bytes: Buffer, at: number, { start, backslashes }: ValueLiteral): number {
  const byte = bytes[at]
  if (byte === BACKSLASH && backslashes) return isWildcard(bytes[at + 1]) ? 1 : 2
  return byte === bytes[start - 1] ? 2 : 1
}

/** Returns whether MariaDB leaves the backslash of `\%` and `\_` in the value. */
const isWildcard = (byte: number | undefined) => byte === 37 || byte === 95

function hexEdit(
  bytes: Buffer,
  { start: first, end: last }: ValueLiteral,
  { start, end, text }: TextEdit,
) {
  const hex = Buffer.from(text, 'latin1').toString('hex')
  const lower = /[a-f]/.test(bytes.toString('latin1', first, Math.min(last, first + 1000)))
  return {
    start: first + 2 * start,
    end: first + 2 * end,
    text: lower ? hex : hex.toUpperCase(),
  }
}
