/** A value serialised by PHP: arrays and objects of any class are maps of their fields. */
export type PhpValue = null | boolean | number | string | PhpMap
export type PhpMap = ReadonlyMap<string, PhpValue>

const MAX_BYTES = 8 << 20
const MAX_DEPTH = 64

const utf8 = new TextDecoder()
const code = (letter: string) => letter.charCodeAt(0)
const [ARRAY, BOOLEAN, FLOAT, INTEGER, NULL, OBJECT, STRING] = [...'abdiNOs'].map(code)
const REFERENCES = [code('r'), code('R')]

class Refused extends Error {}

/**
 * Reads the text that PHP's serialize() wrote; undefined for anything else, for more than 8 MiB and
 * for more than 64 levels. Time and memory grow with the text alone, whatever counts and lengths it
 * claims. No class is constructed: an object is its fields, a reference is null, and a class with a
 * format of its own (`C:`) refuses the whole. Source: php-src ext/standard/var_unserializer.re.
 */
export function parsePhpValue(text: string | Uint8Array): PhpValue | undefined {
  if (text.length > MAX_BYTES) return undefined
  const reader = new Reader(text)
  try {
    const value = reader.value(0)
    return reader.ended ? value : undefined
  } catch (error) {
    if (error instanceof Refused) return undefined
    throw error
  }
}

/** The map below the key; undefined if it is missing. */
export function mapAt(value: PhpValue | undefined, key: string): PhpMap | undefined {
  const found = value instanceof Map ? value.get(key) : undefined
  return found instanceof Map ? found : undefined
}

/** The string below the key; undefined if it is missing. */
export function textAt(value: PhpValue | undefined, key: string): string | undefined {
  const found = value instanceof Map ? value.get(key) : undefined
  return typeof found === 'string' ? found : undefined
}

/** Lengths count bytes, so it reads bytes; ASCII text is cut without decoding. */
class Reader {
  readonly #text: string
  readonly #bytes: Uint8Array
  readonly #ascii: boolean
  #at = 0

  constructor(text: string | Uint8Array) {
    this.#text = typeof text === 'string' ? text : ''
    this.#bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
    this.#ascii = this.#bytes.length === this.#text.length
  }

  get ended(): boolean {
    return this.#at === this.#bytes.length
  }

  value(depth: number): PhpValue {
    if (depth > MAX_DEPTH) throw new Refused()
    const type = this.#bytes[this.#at++]
    if (type === NULL) return this.#skip(';', null)
    this.#expect(':')
    if (type === STRING) return this.#skip(';', this.#quoted())
    if (type === ARRAY) return this.#fields(depth)
    if (type === OBJECT) return this.#object(depth)
    return this.#scalar(type)
  }

  #scalar(type: number | undefined): PhpValue {
    const text = this.#until(';')
    if (type === INTEGER && /^[+-]?\d+$/.test(text)) return Number(text)
    if (type === BOOLEAN && /^[01]$/.test(text)) return text === '1'
    if (type === FLOAT && /^(-?INF|NAN|[+-]?[\d.]+(E[+-]?\d+)?)$/i.test(text)) return Number(text)
    if (type !== undefined && REFERENCES.includes(type) && /^\d+$/.test(text)) return null
    throw new Refused()
  }

  #object(depth: number): PhpValue {
    this.#quoted()
    this.#expect(':')
    return this.#fields(depth)
  }

  #fields(depth: number): PhpValue {
    const count = this.#count()
    this.#expect('{')
    const fields = new Map<string, PhpValue>()
    for (let index = 0; index < count; index++) {
      const key = this.value(depth + 1)
      if (typeof key !== 'string' && typeof key !== 'number') throw new Refused()
      fields.set(String(key), this.value(depth + 1))
    }
    return this.#skip('}', fields)
  }

  #quoted(): string {
    const length = this.#count()
    this.#expect('"')
    const start = this.#at
    this.#at += length
    if (this.#at >= this.#bytes.length) throw new Refused()
    return this.#skip('"', this.#cut(start, this.#at))
  }

  #count(): number {
    const digits = this.#until(':')
    if (!/^\d{1,9}$/.test(digits)) throw new Refused()
    return Number(digits)
  }

  /** Numbers and counts are short: a distant end is invalid. */
  #until(letter: string): string {
    const start = this.#at
    const end = this.#bytes.subarray(start, start + 64).indexOf(code(letter))
    if (end < 0) throw new Refused()
    this.#at = start + end + 1
    return this.#cut(start, start + end)
  }

  #cut(start: number, end: number): string {
    if (this.#ascii) return this.#text.slice(start, end)
    return utf8.decode(this.#bytes.subarray(start, end))
  }

  #skip<T>(letter: string, value: T): T {
    this.#expect(letter)
    return value
  }

  #expect(letter: string): void {
    if (this.#bytes[this.#at++] !== code(letter)) throw new Refused()
  }
}
