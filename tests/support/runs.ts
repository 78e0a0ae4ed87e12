import { seed } from './random.ts'

/** `HOSTING_LONG=1 bun test --timeout 3600000 <paths>` finds errors that need a million inputs. */
export const long = process.env.HOSTING_LONG === '1'

/** `sh scripts/test.sh --quick`, `bun run check`. */
const quick = process.env.HOSTING_QUICK === '1'

/** For repetitions: a quick run does the first tenth. */
export const times = (usual: number) => Math.ceil(usual / (quick ? 10 : 1))

/** For a sweep over a row of cases: a quick run does each tenth. */
export const every = (usual: number) => usual * (quick ? 10 : 1)

/**
 * How `fc.assert` tries a property: with a few inputs in each run of the tests, with a million in a
 * long one. It also fails if few inputs take twenty seconds. The inputs follow from the seed.
 */
export function runs(usual = 200) {
  if (long) return { seed: seed(), numRuns: 1_000_000 }
  const limits = { interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true }
  return { seed: seed(), numRuns: times(usual), ...limits }
}
