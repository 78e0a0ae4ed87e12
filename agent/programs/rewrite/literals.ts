import { Buffer } from 'node:buffer'
import type { Edit } from './rewrite-text.ts'

/** A value in a dump: where it stands without its quotes, and how it is escaped. */
export interface Literal {
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

/** Reused, because an allocation for each value takes longer than its decoding. */
let scratch = Buffer.allocUnsafe(1 << 16)

/** The bytes of the value, one character each. */
export function textOf(bytes: Buffer, literal: Literal): string {
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

/** Edits of the value as edits of the dump. */
export function editsInDump(bytes: Buffer, literal: Literal, edits: readonly Edit[]): Edit[] {
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

function walk(bytes: Buffer, literal: Literal, from: { index: number; at: number }, index: number) {
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

/** The bytes of the next character: two for an escape and for a doubled quote. */
function widthAt(bytes: Buffer, at: number, { start, backslashes }: Literal): number {
  const byte = bytes[at]
  if (byte === BACKSLASH && backslashes) return isWildcard(bytes[at + 1]) ? 1 : 2
  return byte === bytes[start - 1] ? 2 : 1
}

/** MariaDB leaves the backslash of `\%` and `\_` in the value. */
const isWildcard = (byte: number | undefined) => byte === 37 || byte === 95

function hexEdit(bytes: Buffer, { start: first, end: last }: Literal, { start, end, text }: Edit) {
  const hex = Buffer.from(text, 'latin1').toString('hex')
  const lower = /[a-f]/.test(bytes.toString('latin1', first, Math.min(last, first + 1000)))
  return {
    start: first + 2 * start,
    end: first + 2 * end,
    text: lower ? hex : hex.toUpperCase(),
  }
}
