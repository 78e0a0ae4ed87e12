import { fail } from '#scripts/lib/fail.ts'
import { CASES, type Case } from './hostile-text/cases.ts'

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
    const { small, large } = await measured(one)
    const growth = large / small / TIMES
    worst = Math.max(worst, growth)
    const what = `${one.parser}, ${one.made_of}`.padEnd(44)
    const size = `${one.most >> 10} KiB`.padStart(8)
    console.log(
      `${what} ${size} in ${large.toFixed(2).padStart(7)} ms, ${growth.toFixed(1)} × as much for each`,
    )
  }
  console.log(`worst ${worst.toFixed(1)} (promised: ${PROMISED})`)
  if (worst > PROMISED) throw new Error('a reader takes more than linear time')
}

/** The shortest of several attempts, in ms: other work of the machine only adds time. */
async function measured({ make, most }: Case): Promise<{ small: number; large: number }> {
  const works = { small: make(most / TIMES), large: make(most) }
  const best = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  // Alternating, so that a slow moment of the machine affects both.
  for (let turn = 0; turn < TRIES; turn++) {
    for (const size of ['small', 'large'] as const) {
      best[size] = Math.min(best[size], await timed(works[size]))
    }
  }
  return best
}

/** Repeated until the duration is long enough for the clock. */
async function timed(work: () => void | Promise<void>): Promise<number> {
  const begun = performance.now()
  let times = 0
  while (performance.now() - begun < LEAST_MS) {
    await work()
    times++
  }
  return (performance.now() - begun) / times
}

await main().then(() => process.exit(0), fail)
