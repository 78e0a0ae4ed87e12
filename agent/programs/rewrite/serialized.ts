import { Buffer } from 'node:buffer'
import { type Escape, escapeOf } from './escapes.ts'

/**
 * A string that PHP's serialize() wrote (`s:5:"texts";`), or the data of an object with a format of
 * its own (`C:5:"Class":4:{data}`), in a text that may be escaped itself.
 */
export interface Token {
  /** False if its length is wrong: PHP cannot read it. */
  is_valid: boolean
  kind: 's' | 'C'
  /** The first byte behind it. */
  end: number
  /** The decimal length in bytes, and where it stands. */
  length: number
  digits: [start: number, end: number]
  content: string
  escaping: Escape
  /** The position of a byte of the content in the text. */
  placeOf(index: number): number
}

const HEADER =
  /([sC])(:|%(?:25)*3[Aa])(\d{1,9})\2(\\*"|%(?:25)*22|&(?:amp;)*quot;|&(?:amp;)*#0?34;)/g

/** Text in which a header is a part of a longer word. */
const WORD_BEFORE = /(?<!%[0-9A-Fa-f]?)[A-Za-z0-9]$/

/** Finds the tokens of a text from left to right, with work that grows with its length only. */
export class Tokens {
  readonly #text: string
  readonly #header = new RegExp(HEADER)
  #next: Token | undefined
  #at = 0
  /** Escaped contents are decoded, and a wrong length may claim any number of bytes. */
  #budget: number
  readonly #endings = new Map<string, number>()

  constructor(text: string) {
    this.#text = text
    this.#budget = 4 * text.length + 1024
  }

  /** The token that contains the position, which may not decrease. */
  around(position: number): Token | undefined {
    while (true) {
      this.#next ??= this.#find()
      const token = this.#next
      if (!token || token.digits[0] > position) return undefined
      if (token.end > position) return token
      this.#next = undefined
      this.#at = token.is_valid ? token.end : token.digits[1] + 1
    }
  }

  #find(): Token | undefined {
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

  #resolve(header: RegExpExecArray): Token | undefined {
    const [all, kind, colon = ':', digits = '', quote = '"'] = header
    const start = header.index + 1 + colon.length
    const escaping = escapeOf(quote, colon) ?? UNKNOWN
    const token = {
      ...{ escaping, length: Number(digits), kind: kind as 's' | 'C' },
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

  #string(token: Header, from: number): Token | undefined {
    const { quote, semicolon } = token.escaping
    return this.#content(token, from, quote + semicolon)
  }

  #data(header: Header, from: number): Token | undefined {
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

  #content(token: Header, from: number, ending: string): Token | undefined {
    const read = this.#read(token, from, ending)
    if (!read || !this.#text.startsWith(ending, read.end)) return undefined
    const { content, placeOf } = read
    return { ...token, is_valid: true, end: read.end + ending.length, content, placeOf }
  }

  #read({ length, escaping }: Header, from: number, ending: string) {
    if (escaping.quote !== '"') return this.#decode(escaping, length, from)
    const bytes = this.#text.startsWith(ending, from + length)
    const end = bytes ? from + length : this.#characters(length, from)
    return { content: this.#text.slice(from, end), end, placeOf: (index: number) => from + index }
  }

  /** A dump of a table in another character set has more bytes than PHP sees. */
  #characters(count: number, from: number): number {
    let at = from
    for (let left = count; left > 0 && this.#budget > 0 && at < this.#text.length; left--) {
      at++
      while (isContinuation(this.#text.charCodeAt(at))) at++
      this.#budget--
    }
    return at
  }

  /** The claimed length is charged before memory is allocated for it. */
  #decode(escaping: Escape, length: number, from: number) {
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

  /** Reaches to the next end of a string; without one, the text is none that PHP wrote. */
  #damaged(token: Header, from: number, quote: string): Token | undefined {
    const end = this.#nextOf(quote + token.escaping.semicolon, from)
    if (end === Number.POSITIVE_INFINITY) return undefined
    return { ...token, is_valid: false, end, content: '', placeOf: () => from }
  }

  /** Remembers the result: thousands of headers may wait for one end. */
  #nextOf(ending: string, from: number): number {
    const known = this.#endings.get(ending)
    if (known !== undefined && known >= from) return known
    const found = this.#text.indexOf(ending, from)
    const next = found < 0 ? Number.POSITIVE_INFINITY : found
    this.#endings.set(ending, next)
    return next
  }
}

type Header = Omit<Token, 'is_valid' | 'end' | 'content' | 'placeOf'>

const isContinuation = (byte: number) => byte >= 0x80 && byte < 0xc0

/** An escaping that is not known has unknown lengths. */
const UNKNOWN: Escape = {
  ...{ quote: '', colon: ':', semicolon: '', opening: '{', closing: '}' },
  reader: () => () => -1,
  encode: (text) => text,
}
