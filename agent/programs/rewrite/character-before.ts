import { Buffer } from 'node:buffer'

const LONGEST = 40

const CONTROL = /\\[abfnrtv0]$/
const UNIT = /\\u([0-9A-Fa-f]{4})$/
const ENTITY = /&#0*(\d{1,7});$/
const BYTES = /(?:%(?:25)*[0-9A-Fa-f]{2})+$/

/**
 * The character that ends before `end`, decoded, in a text with one character for each byte: `%40`,
 * `\u0022`, `\n` and `&#64;` are no names, but `%C3%BC` is one.
 */
export function characterBefore(text: string, end: number): string {
  const before = text.slice(Math.max(0, end - LONGEST), end)
  if (CONTROL.test(before)) return '\n'
  const [, unit] = UNIT.exec(before) ?? []
  if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16))
  const [, decimal] = ENTITY.exec(before) ?? []
  if (decimal !== undefined) return fromCodePoint(Number(decimal))
  const [encoded] = BYTES.exec(before) ?? []
  if (encoded === undefined) return lastOf(Buffer.from(before.slice(-4), 'latin1'))
  return lastOf(Buffer.from(encoded.replace(/%(?:25)*/g, ''), 'hex'))
}

const fromCodePoint = (code: number): string => (code > 0x10ffff ? '' : String.fromCodePoint(code))

/** The last character of UTF-8; empty for no bytes. */
function lastOf(bytes: Buffer): string {
  let start = bytes.length - 1
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--
  return bytes.toString('utf8', Math.max(0, start))
}
