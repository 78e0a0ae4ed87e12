import type { CDPSession } from 'playwright-core'
import { KEPT_MS } from '#dashboard/web/api/forget.ts'
import type { Bench } from './bench.ts'
import type { Outcome } from './promise.ts'
import { lineThrough } from './statistics.ts'
import { goRound } from './walk.ts'

/** Of what is in use, that the whole time may add. */
const PROMISED = 0.05
/** Until as much is let go as is gathered. Round follows round, so that what runs often is compiled. */
const WARM_MS = KEPT_MS + 60_000
/** From then on, from the beginning of a round to that of the next: ten times what a person does. */
const ROUND_MS = 6_000
/** Fewer tell no line. */
const LEAST_ROUNDS = 20

const KINDS = { heap: 'JavaScript heap', nodes: 'DOM nodes', listeners: 'event listeners' } as const
type Kind = keyof typeof KINDS
type Use = Record<Kind | 'minute', number>

/**
 * Goes round the pages while the fleet lives: first until what is kept for minutes is as much as it
 * gets, then for so many minutes, in which it is measured after each round what is in use.
 */
export async function memory(bench: Bench, minutes: number): Promise<Outcome[]> {
  const page = await bench.open()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  await page.goto('/')
  const uses: Use[] = []
  const begun = performance.now()
  const elapsed = () => performance.now() - begun
  for (let round = 0; elapsed() < WARM_MS + minutes * 60_000; round++) {
    const next = elapsed() + ROUND_MS
    await goRound(page, bench, round)
    if (elapsed() < WARM_MS) continue
    uses.push({ minute: elapsed() / 60_000, ...(await inUse(session)) })
    await page.waitForTimeout(Math.max(0, next - elapsed()))
  }
  await page.context().close()
  return (Object.keys(KINDS) as Kind[]).map((kind) => outcomeOf(kind, uses))
}

/** After what nobody needs was let go. */
async function inUse(session: CDPSession): Promise<Record<Kind, number>> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize: heap } = await session.send('Runtime.getHeapUsage')
  const { metrics } = await session.send('Performance.getMetrics')
  const count = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN
  return { heap, nodes: count('Nodes'), listeners: count('JSEventListeners') }
}

/** Holds when the line through all rounds, and what chance may have taken from it, adds little. */
function outcomeOf(kind: Kind, uses: readonly Use[]): Outcome {
  const line = lineThrough(uses.map((use) => ({ x: use.minute, y: use[kind] })))
  const [first, last] = [uses[0]?.minute ?? 0, uses.at(-1)?.minute ?? 0]
  const before = line.at(first)
  const added = (slope: number) => (slope * (last - first)) / before
  const most = added(line.slope + 2 * line.error)
  const shown = kind === 'heap' ? `${(before / 1e6).toFixed(2)} MB` : before.toFixed(0)
  return {
    name: `${KINDS[kind]} of a tab that goes round all pages`,
    found: `${percent(added(line.slope))} of ${shown} over ${(last - first).toFixed(1)} minutes and ${uses.length} rounds, at most ${percent(most)} (promised: ${percent(PROMISED)})`,
    holds: uses.length >= LEAST_ROUNDS && most <= PROMISED,
  }
}

const percent = (part: number) => `${(100 * part).toFixed(1)} %`
