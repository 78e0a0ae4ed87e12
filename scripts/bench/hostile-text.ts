import { fail } from '#scripts/lib/fail.ts'
import { CASES } from './hostile-text/cases.ts'
import { report } from './lib/figure.ts'
import { shortest } from './lib/measure.ts'

const TIMES = 64
const PROMISED = 20
const TRIES = 5
const LEAST_MS = 10

/**
 * Reads hostile text of one size and of 64 times that size, in the same run. Exits with status 1 if
 * an answer is wrong, or if a character of the larger one takes more than twenty times as long: for
 * a reader that rereads everything for each new piece it takes 64 times as long.
 */
async function main(): Promise<void> {
  let worst = 0
  for (const one of CASES) {
    const [few, many] = [one.make(one.most / TIMES), one.make(one.most)]
    const measurements = { small: () => perCall(few), large: () => perCall(many) }
    const { small, large } = await shortest(TRIES, measurements)
    const growth = large / small / TIMES
    worst = Math.max(worst, growth)
    const what = `${one.parser}, ${one.made_of}`.padEnd(44)
    const size = `${one.most >> 10} KiB`.padStart(8)
    console.log(
      `${what} ${size} in ${large.toFixed(2).padStart(7)} ms, ${growth.toFixed(1)} × as much for each`,
    )
  }
  report({ name: 'growth for a character', unit: '×', ours: worst, at_most: PROMISED })
  console.log(`worst ${worst.toFixed(1)} (promised: ${PROMISED})`)
  if (worst > PROMISED) throw new Error('a reader takes more than linear time')
}

/** Repeated until the duration is long enough for the clock. */
async function perCall(work: () => void | Promise<void>): Promise<number> {
  const start = performance.now()
  let times = 0
  for (; performance.now() - start < LEAST_MS; times++) await work()
  return (performance.now() - start) / times
}

await main().then(() => process.exit(0), fail)
