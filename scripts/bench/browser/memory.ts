import type { CDPSession } from 'playwright-core'
import { KEPT_MS } from '#dashboard/web/api/forget.ts'
import type { Bench } from './bench.ts'
import type { Outcome } from './promise.ts'
import { lineThrough } from './statistics.ts'
import { visitPages } from './walk.ts'

/** The maximum growth of used memory over the whole time. */
const PROMISED = 0.05
/** Until the caches are full. The rounds follow without pauses, so that hot code is compiled. */
const WARM_MS = KEPT_MS + 60_000
/** From then on, from one round's start to the next: ten times as many as a person makes. */
const ROUND_MS = 6_000
/** Fewer rounds give no line. */
const LEAST_ROUNDS = 20

const KINDS = { heap: 'JavaScript heap', nodes: 'DOM nodes', listeners: 'event listeners' } as const
type Kind = keyof typeof KINDS
type Use = Record<Kind | 'minute', number>

/**
 * Visits the pages while the fleet changes: first until caches of some minutes are full, then for
 * the given minutes, with a measurement of used memory after each round.
 */
export async function memory(bench: Bench, minutes: number): Promise<Outcome[]> {
  const page = await bench.open()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  await page.goto('/')
  const uses: Use[] = []
  const start = performance.now()
  const elapsed = () => performance.now() - start
  for (let round = 0; elapsed() < WARM_MS + minutes * 60_000; round++) {
    const next = elapsed() + ROUND_MS
    await visitPages(page, bench, round)
    if (elapsed() < WARM_MS) continue
    uses.push({ minute: elapsed() / 60_000, ...(await inUse(session)) })
    await page.waitForTimeout(Math.max(0, next - elapsed()))
  }
  await page.context().close()
  return (Object.keys(KINDS) as Kind[]).map((kind) => outcomeOf(kind, uses))
}

/** After a garbage collection. */
async function inUse(session: CDPSession): Promise<Record<Kind, number>> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize: heap } = await session.send('Runtime.getHeapUsage')
  const { metrics } = await session.send('Performance.getMetrics')
  const count = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN
  return { heap, nodes: count('Nodes'), listeners: count('JSEventListeners') }
}

/** Holds if the line through all rounds grows little, chance included. */
function outcomeOf(kind: Kind, uses: readonly Use[]): Outcome {
  const line = lineThrough(uses.map((use) => ({ x: use.minute, y: use[kind] })))
  const [first, last] = [uses[0]?.minute ?? 0, uses.at(-1)?.minute ?? 0]
  const before = line.at(first)
  const added = (slope: number) => (slope * (last - first)) / before
  const most = added(line.slope + 2 * line.error)
  const shown = kind === 'heap' ? `${(before / 1e6).toFixed(2)} MB` : before.toFixed(0)
  return {
    name: `${KINDS[kind]} of a tab that visits all pages`,
    found: `${percent(added(line.slope))} of ${shown} over ${(last - first).toFixed(1)} minutes and ${uses.length} rounds, at most ${percent(most)} (promised: ${percent(PROMISED)})`,
    holds: uses.length >= LEAST_ROUNDS && most <= PROMISED,
    figure: {
      ...{ name: `growth of ${KINDS[kind]}`, unit: '%', ours: most * 100 },
      at_most: PROMISED * 100,
    },
  }
}

const percent = (part: number) => `${(100 * part).toFixed(1)} %`
