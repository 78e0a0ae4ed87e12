import fc from 'fast-check'
import { anyCharacter } from '#tests/support/any-character.ts'
import { brokenLines, speakingLines } from '#tests/support/hostile-values.ts'

const ascii = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code))

/** The same in each run. */
const VALUES = [
  ...speakingLines,
  ...brokenLines,
  ...['x'.repeat(3000), ' a', 'a ', ' ', 'a  b', '"a" "b"', 'ä💩', 'on', 'null', '0', '-1'],
  ...fc.sample(fc.string({ unit: ascii, minLength: 1 }), { numRuns: 60, seed: 1 }),
  ...fc.sample(fc.string({ unit: anyCharacter, minLength: 1 }), { numRuns: 60, seed: 2 }),
]

/** The values that a format accepts, with the text that it writes for each. */
export function written(write: (value: string) => string): { values: string[]; texts: string[] } {
  const pairs = VALUES.flatMap((value) => {
    try {
      return [{ value, text: write(value) }]
    } catch {
      return []
    }
  })
  if (pairs.length <= 10) throw new Error(`only ${pairs.length} values are accepted`)
  return { values: pairs.map(({ value }) => value), texts: pairs.map(({ text }) => text) }
}
