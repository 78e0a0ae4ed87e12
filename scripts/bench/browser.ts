import { parseArgs } from 'node:util'
import { fail } from '#scripts/lib/fail.ts'
import type { Outcome } from './browser/bench.ts'
import { type Bench, withBench } from './browser/bench.ts'
import { firstPaint } from './browser/first-paint.ts'
import { interaction } from './browser/interaction.ts'
import { memory } from './browser/memory.ts'
import { size } from './browser/size.ts'
import { streams } from './browser/streams.ts'
import { report } from './lib/figure.ts'

/**
 * Measures the pages in Chromium on a demo with 10,000 sites. Exits with status 1 if one of the
 * promises does not hold. `--only paint` measures one of them; `--minutes` is the duration of the
 * memory measurement, after six minutes in which the caches fill.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      minutes: { type: 'string', default: '6' },
    },
  })
  const parts: Record<string, (bench: Bench) => Promise<Outcome[]>> = {
    size,
    paint: firstPaint,
    interaction,
    streams,
    memory: (bench) => memory(bench, Number(values.minutes)),
  }
  const broken: string[] = []
  await withBench(async (bench) => {
    for (const [name, measure] of Object.entries(parts))
      if (name.includes(values.only)) broken.push(...linesOf(await measure(bench)))
  })
  if (broken.length > 0) throw new Error(`does not hold: ${broken.join(', ')}`)
}

/** Prints each promise; returns the names of the broken ones. */
function linesOf(outcomes: Outcome[]): string[] {
  for (const { name, found, holds, figure } of outcomes) {
    console.log(`${holds ? 'holds ' : 'BROKEN'}  ${name}: ${found}`)
    if (figure) report(figure)
  }
  return outcomes.filter(({ holds }) => !holds).map(({ name }) => name)
}

await main().then(() => process.exit(0), fail)
