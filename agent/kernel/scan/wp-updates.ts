/** WordPress' own records in its options; undefined for unknown ones. */
export interface WpState {
  active_plugins?: ReadonlySet<string> | undefined
  /** The active theme and its parent. */
  active_themes?: ReadonlySet<string> | undefined
  core?: PhpValue | undefined
  plugins?: PhpValue | undefined
  themes?: PhpValue | undefined
}

/** Returns the version that WordPress offers for each file or slug; undefined without a check. */
export function offersOf(transient: PhpValue | undefined): ReadonlyMap<string, string> | undefined {
  if (mapAt(transient, 'checked') === undefined) return undefined
  const offers = new Map<string, string>()
  for (const [key, offer] of mapAt(transient, 'response') ?? []) {
    const version = textAt(offer, 'new_version')
    if (version !== undefined) offers.set(key, version)
  }
  return offers
}

/** Returns the offered version if it is newer than the installed one, otherwise null. */
export function newer(offered: string | undefined, installed: string): string | null {
  if (offered === undefined || offered.length > 255) return null
  return compareVersions(offered, installed) > 0 ? offered : null
}

/** Returns the newest offered core that is newer; `known` is false if WordPress' check failed. */
export function coreOffer(transient: PhpValue | undefined, installed: string) {
  const offers = [...(mapAt(transient, 'updates')?.values() ?? [])]
    .map((offer) => textAt(offer, 'version'))
    .filter((version) => version !== undefined)
  const update = offers
    .filter((version) => newer(version, installed) !== null)
    .reduce<string | null>((best, version) => newer(version, best ?? '') ?? best, null)
  return { known: offers.length > 0, update }
}

/** Parses the state from the rows of `optionsStatement`. */
export function stateOf(rows: readonly Record<string, unknown>[]): WpState {
  const values = new Map(rows.map(({ name, value }) => [String(name), value]))
  const parsed = (name: string) => {
    const value = values.get(name)
    if (value === undefined) return undefined
    // Bytes, in case of another character set.
    return parsePhpValue(value instanceof Uint8Array ? value : String(value))
  }
  const themes = ['stylesheet', 'template'].flatMap((name) => {
    const value = values.get(name)
    return value === undefined ? [] : [String(value)]
  })
  return {
    active_plugins: activePlugins(parsed('active_plugins'), parsed('active_sitewide_plugins')),
    active_themes: themes.length > 0 ? new Set(themes) : undefined,
    core: parsed('_site_transient_update_core'),
    plugins: parsed('_site_transient_update_plugins'),
    themes: parsed('_site_transient_update_themes'),
  }
}

/** Returns the active plugins: the site's own are values of a list, the network's keys of a map. */
function activePlugins(own: PhpValue | undefined, network: PhpValue | undefined) {
  if (!(own instanceof Map)) return undefined
  const keys = network instanceof Map ? (network as PhpMap).keys() : []
  return new Set([...own.values(), ...keys].filter((file) => typeof file === 'string'))
}

/** The words of a version in their order; `#` stands for a number. Other words come before all. */
const ORDER: readonly [string, number][] = [
  ['dev', 0],
  ['alpha', 1],
  ['a', 1],
  ['beta', 2],
  ['b', 2],
  ['RC', 3],
  ['rc', 3],
  ['#', 4],
  ['pl', 5],
  ['p', 5],
]

/**
 * Returns a number below 0, 0 or above 0, like PHP's version_compare(), with which WordPress
 * compares versions. Source: php-src ext/standard/versioning.c.
 */
export function compareVersions(one: string, other: string): number {
  if (one === '' || other === '') return Math.sign(one.length - other.length)
  const [left, right] = [partsOf(one), partsOf(other)]
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const order = compareParts(left[index] ?? '', right[index] ?? '')
    if (order !== 0) return order
  }
  return compareRest(left, right)
}

/** Splits `1.0rc1` into 1, 0, rc, 1: at separators and between digits and letters. */
function partsOf(version: string): string[] {
  return version
    .slice(0, 255)
    .replace(/[^\p{ASCII}]/gu, '.')
    .replace(/(\d)(?=[a-z])|([a-z])(?=\d)/gi, '$1$2.')
    .split(/[^a-z0-9]+/i)
    .filter((part) => part !== '')
}

function compareParts(one: string, other: string): number {
  const [isNumber, isOther] = [/^\d/.test(one), /^\d/.test(other)]
  if (isNumber && isOther) return Math.sign(Number(one) - Number(other))
  return Math.sign(rank(isNumber ? '#' : one) - rank(isOther ? '#' : other))
}

/** Compares the rest: a number is newer; a word compares with one: 1.0-rc1 < 1.0 < 1.0pl1. */
function compareRest(left: string[], right: string[]): number {
  const [further] = left.slice(right.length)
  if (further !== undefined) return /^\d/.test(further) ? 1 : compareParts(further, '#')
  const [missing] = right.slice(left.length)
  if (missing === undefined) return 0
  return /^\d/.test(missing) ? -1 : compareParts('#', missing)
}

function rank(word: string): number {
  return ORDER.find(([name]) => word.startsWith(name))?.[1] ?? -1
}

/** A value serialised by PHP: arrays and objects of any class are maps of their fields. */
export type PhpValue = null | boolean | number | string | PhpMap
type PhpMap = ReadonlyMap<string, PhpValue>

const MAX_BYTES = 8 << 20
const MAX_DEPTH = 64

const utf8 = new TextDecoder()
const code = (letter: string) => letter.charCodeAt(0)
const [ARRAY, BOOLEAN, FLOAT, INTEGER, NULL, OBJECT, STRING] = [...'abdiNOs'].map(code)
const REFERENCES = [code('r'), code('R')]

class InvalidText extends Error {}

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
    if (error instanceof InvalidText) return undefined
    throw error
  }
}

/** Returns the map below the key; undefined if it is missing. */
export function mapAt(value: PhpValue | undefined, key: string): PhpMap | undefined {
  const found = value instanceof Map ? value.get(key) : undefined
  return found instanceof Map ? found : undefined
}

/** Returns the string below the key; undefined if it is missing. */
export function textAt(value: PhpValue | undefined, key: string): string | undefined {
  const found = value instanceof Map ? value.get(key) : undefined
  return typeof found === 'string' ? found : undefined
}

/** Reads bytes, which lengths count; ASCII text is cut without decoding. */
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
    if (depth > MAX_DEPTH) throw new InvalidText()
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
    throw new InvalidText()
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
      if (typeof key !== 'string' && typeof key !== 'number') throw new InvalidText()
      fields.set(String(key), this.value(depth + 1))
    }
    return this.#skip('}', fields)
  }

  #quoted(): string {
    const length = this.#count()
    this.#expect('"')
    const start = this.#at
    this.#at += length
    if (this.#at >= this.#bytes.length) throw new InvalidText()
    return this.#skip('"', this.#cut(start, this.#at))
  }

  #count(): number {
    const digits = this.#until(':')
    if (!/^\d{1,9}$/.test(digits)) throw new InvalidText()
    return Number(digits)
  }

  /** Reads up to a letter; numbers and counts are short: a distant end is invalid. */
  #until(letter: string): string {
    const start = this.#at
    const end = this.#bytes.subarray(start, start + 64).indexOf(code(letter))
    if (end < 0) throw new InvalidText()
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
    if (this.#bytes[this.#at++] !== code(letter)) throw new InvalidText()
  }
}
