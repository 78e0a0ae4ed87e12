import { describe, test } from 'bun:test'

/**
 * `test` and `describe`, or, where there is a reason against them on this machine, their skipping
 * forms: names then end with `[skip: <reason>]`, which scripts/test.sh puts into its list. Set up
 * inside of such a `describe`: a file's own `beforeAll` runs even when all its tests are skipped.
 *
 *     unless(lab.available() ?? lacking({ programs: ['curl'] })).describe('…', () => { … })
 */
export function unless(reason: string | undefined) {
  const skip = reason !== undefined
  const label = (name: string) => (skip ? `${name} [skip: ${reason}]` : name)
  return {
    describe: (name: string, body: () => void) => describe.skipIf(skip)(label(name), body),
    test: (name: string, body: () => void | Promise<void>, timeout_ms?: number) =>
      test.skipIf(skip)(label(name), body, timeout_ms),
  }
}

/** Missing features of this machine, as a readable reason; undefined if it has them all. */
export function lacking(needed: { root?: true; programs?: readonly string[] }): string | undefined {
  if (needed.root && process.getuid?.() !== 0) return 'needs root'
  const absent = needed.programs?.find((program) => Bun.which(program) === null)
  return absent === undefined ? undefined : `needs the program ${absent}`
}
