import { fail } from '#scripts/lib/fail.ts'
import { startHalves } from '#tests/support/halves.ts'
import { sweep } from '#tests/support/processes.ts'
import { report } from './lib/figure.ts'
import { median } from './lib/measure.ts'
import { privateMemory } from './lib/process.ts'
import { Dashboard } from './slope/dashboard.ts'
import { lineThrough, type Point } from './slope/line.ts'

const HOUR = 60
/** Of the agent: a round has the calls of a minute. */
const ROUNDS = Number(process.env.ROUNDS ?? 24 * HOUR)
/** A sixth of them, and longer than the agent remembers used tokens. */
const WARM_ROUNDS = ROUNDS / 6
const WHOLE_EVERY = 10
const SAMPLE_EVERY = 6
/** The pause between rounds. */
const PAUSE_MS = 150
/** In MB for each hour of 60 rounds. */
const GOAL = 0.1

type Half = 'front' | 'root'

/**
 * The private memory of the two halves of the compiled agent during the calls of 24 hours: 1,440
 * rounds of all calls of a minute, and a whole sync and a held call every 10 rounds, over pinned TLS
 * and signed. Work that the agent does by its own clock is not accelerated. Exits with status 1 if an
 * answer is wrong, or if the memory grows faster than the goal.
 */
async function main(): Promise<void> {
  const { agent, front, root } = await startHalves('the executable')
  const dashboard = await Dashboard.of(agent)
  const samples: Record<Half, Point[]> = { front: [], root: [] }
  const begun = performance.now()
  for (let round = 1; round <= ROUNDS; round++) {
    if (round % WHOLE_EVERY === 1) await dashboard.wholeSync()
    await dashboard.minute()
    if (round % WHOLE_EVERY === 1) await dashboard.heldPulse()
    await Bun.sleep(PAUSE_MS)
    if (round % SAMPLE_EVERY > 0) continue
    const x = round / HOUR
    samples.front.push({ x, y: await privateMemory(front.pid) })
    samples.root.push({ x, y: await privateMemory(root.pid) })
  }
  const minutes = (performance.now() - begun) / 60_000
  console.log(`${ROUNDS} rounds, ${dashboard.calls} calls in ${minutes.toFixed(1)} minutes`)
  dashboard.close()
  const met = [
    reportSlope('the half that listens', samples.front),
    reportSlope('the half that works', samples.root),
  ]
  for (const half of [front, root]) await half.kill()
  if (met.includes(false)) throw new Error('a goal is missed')
}

/** After the warm-up. Garbage collection moves the memory up and down, which the noise states. */
function reportSlope(name: string, samples: readonly Point[]): boolean {
  const { slope, error, noise } = lineThrough(samples.filter(({ x }) => x > WARM_ROUNDS / HOUR))
  const hours = Map.groupBy(samples, ({ x }) => Math.ceil(x))
  const medians = [...hours.values()].map((points) => median(points.map(({ y }) => y)).toFixed(1))
  console.log(`${name}, median of each hour: ${medians.join(' ')} MB`)
  console.log(`  slope ${slope.toFixed(3)} ± ${error.toFixed(3)} MB for each hour (standard error)`)
  console.log(`  garbage collection: ${noise.toFixed(2)} MB from the line (standard deviation)`)
  return report({ name: `slope of ${name}`, unit: 'MB/h', ours: slope, at_most: GOAL })
}

await main()
  .finally(sweep)
  .then(() => process.exit(0), fail)
