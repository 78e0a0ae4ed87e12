import { Buffer } from 'node:buffer'

/**
 * A string that PHP's serialize() wrote (`s:5:"texts";`), or the data of an object with a format of
 * its own (`C:5:"Class":4:{data}`), in a text that may be escaped itself.
 */
export interface SerializedToken {
  /** False if its length is wrong: PHP cannot read it. */
  is_valid: boolean
  kind: 's' | 'C'
  /** The position behind its last byte. */
  end: number
  /** The length in bytes. */
  length: number
  digits: [start: number, end: number]
  content: string
  escaping: TextEscape
  /** Returns the position of a byte of the content in the text. */
  placeOf(index: number): number
}

const HEADER =
  /([sC])(:|%(?:25)*3[Aa])(\d{1,9})\2(\\*"|%(?:25)*22|&(?:amp;)*quot;|&(?:amp;)*#0?34;)/g

/** Matches text in which a header is a part of a longer word. */
const WORD_BEFORE = /(?<!%[0-9A-Fa-f]?)[A-Za-z0-9]$/

/** Finds the tokens of a text from left to right, with work that grows with its length only. */
export class SerializedTokens {
  readonly #text: string
  readonly #header = new RegExp(HEADER)
  #next: SerializedToken | undefined
  #at = 0
  /** The remaining work: escaped contents are decoded, and a wrong length may be huge. */
  #budget: number
  readonly #endings = new Map<string, number>()

  constructor(text: string) {
    this.#text = text
    this.#budget = 4 * text.length + 1024
  }

  /** Returns the token that contains the position, which may not decrease. */
  around(position: number): SerializedToken | undefined {
    while (true) {
      this.#next ??= this.#find()
      const token = this.#next
      if (!token || token.digits[0] > position) return undefined
      if (token.end > position) return token
      this.#next = undefined
      this.#at = token.is_valid ? token.end : token.digits[1] + 1
    }
  }

  #find(): SerializedToken | undefined {
    this.#header.lastIndex = this.#at
    while (true) {
      const header = this.#header.exec(this.#text)
      if (!header) {
        this.#at = this.#text.length
        return undefined
      }
      const before = this.#text.slice(Math.max(0, header.index - 3), header.index)
      const token = WORD_BEFORE.test(before) ? undefined : this.#resolve(header)
      if (token) return token
    }
  }

  #resolve(header: RegExpExecArray): SerializedToken | undefined {
    const [all, kind, colon = ':', digits = '', quote = '"'] = header
    const start = header.index + 1 + colon.length
    const escaping = escapeOf(quote, colon) ?? UNKNOWN
    const token = {
      escaping,
      length: Number(digits),
      kind: kind as 's' | 'C',
      digits: [start, start + digits.length] as [number, number],
    }
    const from = header.index + all.length
    const valid =
      escaping === UNKNOWN
        ? undefined
        : kind === 's'
          ? this.#string(token, from)
          : this.#data(token, from)
    return valid ?? this.#damaged(token, from, quote)
  }

  #string(token: TokenHeader, from: number): SerializedToken | undefined {
    const { quote, semicolon } = token.escaping
    return this.#content(token, from, quote + semicolon)
  }

  #data(header: TokenHeader, from: number): SerializedToken | undefined {
    const { quote, colon, opening, closing } = header.escaping
    const name = this.#content(header, from, quote + colon)
    if (!name) return undefined
    const digits = /^\d{1,9}/.exec(this.#text.slice(name.end, name.end + 9))?.[0] ?? ''
    const after = name.end + digits.length
    if (digits === '' || !this.#text.startsWith(colon + opening, after)) return undefined
    const token = {
      ...header,
      length: Number(digits),
      digits: [name.end, after] as [number, number],
    }
    return this.#content(token, after + colon.length + opening.length, closing)
  }

  #content(token: TokenHeader, from: number, ending: string): SerializedToken | undefined {
    const read = this.#read(token, from, ending)
    if (!read || !this.#text.startsWith(ending, read.end)) return undefined
    const { content, placeOf } = read
    return { ...token, is_valid: true, end: read.end + ending.length, content, placeOf }
  }

  #read({ length, escaping }: TokenHeader, from: number, ending: string) {
    if (escaping.quote !== '"') return this.#decode(escaping, length, from)
    const bytes = this.#text.startsWith(ending, from + length)
    const end = bytes ? from + length : this.#characters(length, from)
    return { content: this.#text.slice(from, end), end, placeOf: (index: number) => from + index }
  }

  /** Counts characters: a dump of a table in another character set has more bytes than PHP sees. */
  #characters(count: number, from: number): number {
    let at = from
    for (let left = count; left > 0 && this.#budget > 0 && at < this.#text.length; left--) {
      at++
      while (isContinuation(this.#text.charCodeAt(at))) at++
      this.#budget--
    }
    return at
  }

  /** Decodes a content; the claimed length is charged before memory is allocated for it. */
  #decode(escaping: TextEscape, length: number, from: number) {
    this.#budget -= length
    if (this.#budget < 0) return undefined
    const cursor = { text: this.#text, at: from }
    const read = escaping.reader(cursor)
    const bytes = Buffer.allocUnsafe(length)
    const places = new Uint32Array(length + 1).fill(from, 0, 1)
    for (let index = 0; index < length; index++) {
      const byte = read()
      if (byte < 0) return undefined
      bytes[index] = byte
      places[index + 1] = cursor.at
    }
    const placeOf = (index: number) => places[index] ?? from
    return { content: bytes.toString('latin1'), end: cursor.at, placeOf }
  }

  /** Returns a token up to the next end of a string; without one, PHP did not write the text. */
  #damaged(token: TokenHeader, from: number, quote: string): SerializedToken | undefined {
    const end = this.#nextOf(quote + token.escaping.semicolon, from)
    if (end === Number.POSITIVE_INFINITY) return undefined
    return { ...token, is_valid: false, end, content: '', placeOf: () => from }
  }

  /** Finds the next ending and remembers it: thousands of headers may wait for one. */
  #nextOf(ending: string, from: number): number {
    const known = this.#endings.get(ending)
    if (known !== undefined && known >= from) return known
    const found = this.#text.indexOf(ending, from)
    const next = found < 0 ? Number.POSITIVE_INFINITY : found
    this.#endings.set(ending, next)
    return next
  }
}

type TokenHeader = Omit<SerializedToken, 'is_valid' | 'end' | 'content' | 'placeOf'>

const isContinuation = (byte: number) => byte >= 0x80 && byte < 0xc0

/** An unknown escaping, with unknown lengths. */
const UNKNOWN: TextEscape = {
  quote: '',
  colon: ':',
  semicolon: '',
  opening: '{',
  closing: '}',
  reader: () => () => -1,
  encode: (text) => text,
}

/** The escaping of a text inside another text. */
interface TextEscape {
  quote: string
  colon: string
  semicolon: string
  opening: string
  closing: string
  /** Returns a reader of bytes of the inner text; -1 at the end. */
  reader: (cursor: TextCursor) => () => number
  /** Escapes a replacement; `slash` is the escaped slash of what it replaces. */
  encode: (text: string, slash: string) => string
}

/** A text of one character for each byte, and the position of the next one. */
interface TextCursor {
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

/** Returns the escape of a text with this quote and colon; undefined if it is not known. */
function escapeOf(quote: string, colon: string): TextEscape | undefined {
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

type ReadByte = () => number

const plain = (cursor: TextCursor): ReadByte => {
  return () => (cursor.at < cursor.text.length ? cursor.text.charCodeAt(cursor.at++) : -1)
}

/** Reads what JSON and addslashes() write: `\n`, `\/`, `\"`, `\u00e9`. */
function unescaped(read: ReadByte): ReadByte {
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

/** The control characters of `\n` and others; else the letter starts the next name. */
const CONTROLS: Record<number, number> = { 48: 0, 98: 8, 116: 9, 110: 10, 102: 12, 114: 13 }

/** Reads the UTF-8 of `\u…`, which may be followed by the other half of a surrogate pair. */
function utf8Of(read: ReadByte): number[] {
  const unit = hexOf(read)
  if (unit < 0xd800 || unit > 0xdbff) return [...Buffer.from(String.fromCharCode(unit))]
  read()
  read()
  return [...Buffer.from(String.fromCharCode(unit, hexOf(read)))]
}

function hexOf(read: ReadByte): number {
  let digits = ''
  for (let digit = 0; digit < 4; digit++) digits += String.fromCharCode(Math.max(0, read()))
  return Number.parseInt(digits, 16) || 0
}

const LEVELS: Record<number, Pick<TextEscape, 'reader' | 'encode'>> = {
  0: { reader: plain, encode: (text) => text },
  1: { reader: (cursor) => unescaped(plain(cursor)), encode: encodeDoubled(1) },
  3: { reader: (cursor) => unescaped(unescaped(plain(cursor))), encode: encodeDoubled(2) },
  7: {
    reader: (cursor) => unescaped(unescaped(unescaped(plain(cursor)))),
    encode: encodeDoubled(3),
  },
}

/** Encodes with slashes as before, since JSON may escape them or not. */
function encodeDoubled(times: number): TextEscape['encode'] {
  return (text, slash) =>
    text.replace(/(\\*)(\/?)/g, (_, backslashes: string, end: string) =>
      end === '' ? backslashes.repeat(2 ** times) : slash,
    )
}

const percent = (cursor: TextCursor): ReadByte => {
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

const entities = (cursor: TextCursor): ReadByte => {
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
