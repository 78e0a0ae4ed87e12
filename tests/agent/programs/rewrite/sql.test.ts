import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { closingQuote, DOUBLE_QUOTE, QUOTE } from '#agent/programs/rewrite/sql.ts'
import { runs } from '#tests/support/runs.ts'

const BACKSLASH = 92

/** One byte after the other: the rule itself. */
function expected(bytes: Uint8Array, from: number, quote: number, backslashes: boolean): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte !== quote && !(backslashes && byte === BACKSLASH)) continue
    if (at + 1 === bytes.length) return ~at
    if (byte === quote && bytes[at + 1] !== quote) return at
    at++
  }
  return ~bytes.length
}

/** Long runs without a quote, and runs of backslashes and quotes. */
const part = fc
  .tuple(fc.constantFrom('x', '\\', "'", '"'), fc.constantFrom(1, 2, 3, 80))
  .map(([text, times]) => text.repeat(times))
const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))

test('the end of a string is found behind any number of backslashes and doubled quotes', () => {
  const quotes = fc.constantFrom(QUOTE, DOUBLE_QUOTE)
  const property = fc.property(text, fc.nat(4), quotes, fc.boolean(), (input, from, ...how) => {
    const bytes = Buffer.from(input)
    expect(closingQuote(bytes, from, bytes.length, ...how)).toBe(expected(bytes, from, ...how))
  })
  fc.assert(property, runs(1000))
})

test('the end of a string behind the end of the input is not known', () => {
  const bytes = Buffer.from(`${'x'.repeat(60)}' and more`)
  expect(closingQuote(bytes, 0, 55, QUOTE, true)).toBe(~55)
})
