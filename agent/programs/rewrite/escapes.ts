import { Buffer } from 'node:buffer'

/** How a text that stands inside another text is escaped there. */
export interface Escape {
  quote: string
  colon: string
  semicolon: string
  opening: string
  closing: string
  /** Reads bytes of the inner text; -1 at the end. */
  reader: (cursor: Cursor) => () => number
  /** Escapes a replacement; `slash` is the escaped slash of what it replaces. */
  encode: (text: string, slash: string) => string
}

/** A text of one character for each byte, and the position of the next one. */
interface Cursor {
  text: string
  at: number
}

const AS_IS = { colon: ':', semicolon: ';', opening: '{', closing: '}' }
const SIGNS: Record<string, typeof AS_IS> = {
  ':': AS_IS,
  '%3A': { colon: '%3A', semicolon: '%3B', opening: '%7B', closing: '%7D' },
  '%3a': { colon: '%3a', semicolon: '%3b', opening: '%7b', closing: '%7d' },
}
const BACKSLASH = 92

/** The escape of a text with this quote and colon; undefined if it is not known. */
export function escapeOf(quote: string, colon: string): Escape | undefined {
  if (quote === '%22') {
    const signs = SIGNS[colon]
    return signs && { quote, ...signs, reader: percent, encode: encodePercent }
  }
  if (colon !== ':') return undefined
  if (/^&(?!amp)/.test(quote)) {
    return { quote, ...AS_IS, reader: entities, encode: encodeEntities }
  }
  const level = quote.endsWith('"') ? LEVELS[quote.length - 1] : undefined
  if (level === undefined) return undefined
  return { quote, ...AS_IS, ...level }
}

type Read = () => number

const plain = (cursor: Cursor): Read => {
  return () => (cursor.at < cursor.text.length ? cursor.text.charCodeAt(cursor.at++) : -1)
}

/** Reads what JSON and addslashes() write: `\n`, `\/`, `\"`, `\u00e9`. */
function unescaped(read: Read): Read {
  const waiting: number[] = []
  return () => {
    const next = waiting.shift() ?? read()
    if (next !== BACKSLASH) return next
    const escaped = read()
    if (escaped !== 117) return CONTROLS[escaped] ?? escaped
    waiting.push(...utf8Of(read))
    return waiting.shift() ?? -1
  }
}

/** `\n` and others; without them the letter would belong to the name that follows. */
const CONTROLS: Record<number, number> = { 48: 0, 98: 8, 116: 9, 110: 10, 102: 12, 114: 13 }

/** The UTF-8 of `\u…`, which may be followed by the other half of a surrogate pair. */
function utf8Of(read: Read): number[] {
  const unit = hexOf(read)
  if (unit < 0xd800 || unit > 0xdbff) return [...Buffer.from(String.fromCharCode(unit))]
  read()
  read()
  return [...Buffer.from(String.fromCharCode(unit, hexOf(read)))]
}

function hexOf(read: Read): number {
  let digits = ''
  for (let digit = 0; digit < 4; digit++) digits += String.fromCharCode(Math.max(0, read()))
  return Number.parseInt(digits, 16) || 0
}

const LEVELS: Record<number, Pick<Escape, 'reader' | 'encode'>> = {
  0: { reader: plain, encode: (text) => text },
  1: { reader: (cursor) => unescaped(plain(cursor)), encode: doubled(1) },
  3: { reader: (cursor) => unescaped(unescaped(plain(cursor))), encode: doubled(2) },
  7: { reader: (cursor) => unescaped(unescaped(unescaped(plain(cursor)))), encode: doubled(3) },
}

/** Slashes are written as before, since JSON may escape them or not. */
function doubled(times: number): Escape['encode'] {
  return (text, slash) =>
    text.replace(/(\\*)(\/?)/g, (_, backslashes: string, end: string) =>
      end === '' ? backslashes.repeat(2 ** times) : slash,
    )
}

const percent = (cursor: Cursor): Read => {
  const read = plain(cursor)
  return () => {
    const next = read()
    if (next === 43) return 32
    if (next !== 37) return next
    const code = Number.parseInt(cursor.text.slice(cursor.at, cursor.at + 2), 16)
    cursor.at += 2
    return Number.isNaN(code) ? -1 : code
  }
}

function encodePercent(text: string, slash: string): string {
  const [lower, encoded] = [slash.endsWith('f'), encodeURIComponent(text)]
  const cased = lower ? encoded.replace(/%../g, (one) => one.toLowerCase()) : encoded
  return slash === '/' ? cased.replace(/%2f/gi, '/') : cased
}

const NAMED: Record<string, number> = { quot: 34, amp: 38, lt: 60, gt: 62, apos: 39 }

const entities = (cursor: Cursor): Read => {
  const waiting: number[] = []
  return () => {
    const known = waiting.shift()
    if (known !== undefined) return known
    ENTITY.lastIndex = cursor.at
    const entity = ENTITY.exec(cursor.text)
    if (!entity) return plain(cursor)()
    cursor.at = ENTITY.lastIndex
    waiting.push(...Buffer.from(String.fromCodePoint(codeOf(entity))))
    return waiting.shift() ?? -1
  }
}

const ENTITY = /&(?:(quot|amp|lt|gt|apos)|#(\d{1,6})|#x([0-9a-f]{1,5}));/iy

function codeOf([, name, decimal, hex]: RegExpExecArray): number {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? 0
  return decimal === undefined ? Number.parseInt(hex ?? '0', 16) : Number(decimal)
}

const encodeEntities = (text: string) => text.replaceAll('&', '&amp;')
