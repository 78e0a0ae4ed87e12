import type { Buffer } from 'node:buffer'

/** The rules of SQL about the ends of tokens. A negative result means that the input ends first. */

export const QUOTE = 39
export const DOUBLE_QUOTE = 34
const BACKTICK = 96
const BACKSLASH = 92
const SLASH = 47
const STAR = 42
const HASH = 35
const DASH = 45
export const NEWLINE = 10

export const isBlank = (byte: number | undefined) =>
  byte === 32 || (byte !== undefined && byte >= 9 && byte <= 13)

/** Returns whether a byte is a letter, a digit, `_`, `$`, `.` or not ASCII. */
export function isWord(byte: number | undefined): boolean {
  if (byte === undefined) return false
  if (byte >= 48 && byte <= 57) return true
  const letter = byte | 32
  return (letter >= 97 && letter <= 122) || byte === 95 || byte === 36 || byte === 46 || byte > 127
}

/** The length of most values, up to which a loop is faster than a search in native code. */
const MAX_LOOP_BYTES = 48

/**
 * Returns the position of the quote that ends a string; `~position` where to continue when more
 * bytes are known. A quote at the end of the input may be the first half of a doubled one.
 */
export function closingQuote(
  bytes: Buffer,
  from: number,
  end: number,
  quote: number,
  backslashes: boolean,
): number {
  const escapes = backslashes && quote !== BACKTICK ? BACKSLASH : -1
  let at = from
  for (const short = Math.min(end, from + MAX_LOOP_BYTES); at < short; at++) {
    const byte = bytes[at]
    if (byte !== escapes && byte !== quote) continue
    if (at + 1 === end) return ~at
    if (byte === quote && bytes[at + 1] !== quote) return at
    at++
  }
  return at < end ? closingQuoteFar(bytes, at, end, quote, escapes) : ~end
}

/** Searches for quotes, each with the backslashes before it. */
function closingQuoteFar(
  bytes: Buffer,
  from: number,
  end: number,
  quote: number,
  escapes: number,
): number {
  let start = from
  while (start < end) {
    const at = nextQuote(bytes, start, end, quote)
    if (escapes >= 0 && isEscaped(bytes, start, at)) {
      if (at === end) return ~(end - 1)
      start = at + 1
      continue
    }
    if (at + 1 >= end) return ~at
    if (bytes[at + 1] !== quote) return at
    start = at + 2
  }
  return ~end
}

/** Returns the position of the next quote, or `end`. */
function nextQuote(bytes: Buffer, from: number, end: number, quote: number): number {
  const at = bytes.indexOf(quote, from)
  return at < 0 || at > end ? end : at
}

/** Returns whether an odd number of backslashes stands before it. */
function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let first = at
  while (first > from && bytes[first - 1] === BACKSLASH) first--
  return (at - first) % 2 === 1
}

/** Returns the position after a comment, a string, a name in quotes or a single byte; or -1. */
export function afterToken(bytes: Buffer, at: number, end: number, backslashes: boolean): number {
  const byte = bytes[at]
  if (byte === QUOTE || byte === DOUBLE_QUOTE || byte === BACKTICK) {
    const close = closingQuote(bytes, at + 1, end, byte, backslashes)
    return close < 0 ? -1 : close + 1
  }
  return byte === SLASH || byte === HASH || byte === DASH ? afterComment(bytes, at, end) : at + 1
}

/** Returns the position after a comment. The content of `/*!` and `/*M!` is executed. */
function afterComment(bytes: Buffer, at: number, end: number): number {
  if (at + 3 >= end) return -1
  if (bytes[at] === SLASH) {
    if (bytes[at + 1] !== STAR) return at + 1
    const executed = /^M?!(?!999999)\d*/.exec(bytes.toString('latin1', at + 2, at + 10))
    return executed ? at + 2 + executed[0].length : after(bytes, '*/', at + 2, end)
  }
  const isComment = bytes[at] === HASH || (bytes[at + 1] === DASH && isBlank(bytes[at + 2]))
  return isComment ? after(bytes, '\n', at, end) : at + 1
}

function after(bytes: Buffer, ending: string, from: number, end: number): number {
  const at = bytes.subarray(0, end).indexOf(ending, from)
  return at < 0 ? -1 : at + ending.length
}

/** Returns the position of the first byte that is neither blank nor part of a comment; or -1. */
export function afterBlank(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end) {
    const next = isBlank(bytes[at]) ? at + 1 : afterCommentOnly(bytes, at, end)
    if (next <= at) return next
    at = next
  }
  return -1
}

/** Returns the position after a comment, or the position itself. */
function afterCommentOnly(bytes: Buffer, at: number, end: number): number {
  const byte = bytes[at]
  if (byte !== SLASH && byte !== HASH && byte !== DASH) return at
  const next = afterComment(bytes, at, end)
  return next === at + 1 ? at : next
}

/** Returns the position after the word that starts here; -1 if it may be longer. */
export function afterWord(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && isWord(bytes[at])) at++
  return at === end ? -1 : at
}

/** Returns the position after the delimiter of the statement; or -1. */
export function afterStatement(
  bytes: Buffer,
  from: number,
  end: number,
  { delimiter, backslashes }: { delimiter: string; backslashes: boolean },
): number {
  const first = delimiter.charCodeAt(0)
  let at = from
  while (at >= 0 && at < end) {
    if (bytes[at] === first && at + delimiter.length <= end) {
      if (bytes.toString('latin1', at, at + delimiter.length) === delimiter)
        return at + delimiter.length
    }
    at = afterToken(bytes, at, end, backslashes)
  }
  return -1
}
