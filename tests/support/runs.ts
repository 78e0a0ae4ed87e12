import * as choices from './choices.ts'
import { seed } from './random.ts'

/** `HOSTING_LONG=1 bun test --timeout 3600000 <paths>` finds errors that need a million inputs. */
export const long = process.env.HOSTING_LONG === '1'

/** A tenth in `sh scripts/test.sh --quick` and `bun run check`, a fifth in the gate. */
const part = choices.partOf(choices.turnsOf(process.env), process.env.HOSTING_QUICK === '1')

/** Every case of a sweep is tried. */
export const isWhole = part.of === 1

/** For repetitions: the number of them in this run. */
export const times = (usual: number) => Math.ceil(usual / part.of)

/** For runs that differ by a number: those of this run, from 1 to `usual`. */
export const numbers = (usual: number) => choices.numbersOf(part, usual)

/** For a sweep over a row of cases, from 1 on: those of this run, without an end. */
export const points = (step = 1) => choices.pointsOf(part, step)

/**
 * How `fc.assert` tries a property: with a few inputs in each run of the tests, with a million in a
 * long one. It also fails if few inputs take twenty seconds. The inputs follow from the seed.
 */
export function runs(usual = 200) {
  if (long) return { seed: seed(), numRuns: 1_000_000 }
  const limits = { interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true }
  return { seed: seed(), numRuns: times(usual), ...limits }
}
