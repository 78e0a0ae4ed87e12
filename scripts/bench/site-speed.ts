import { loadavg } from 'node:os'
import { fail } from '#scripts/lib/fail.ts'
import { report } from './lib/figure.ts'
import { median } from './lib/measure.ts'
import { CASES, type Case, checkAnswers, type Side, warm } from './site-speed/cases.ts'
import { type Bench, openBench } from './site-speed/host.ts'
import { type Load, load } from './site-speed/load.ts'
import { HAND_GROUP, PRODUCT_GROUP, pss, putToSleep, wakes } from './site-speed/memory.ts'

const CONNECTIONS = [4, 20]
const ROUNDS = 6
const ASLEEP_KB = 6 * 1024

/**
 * A site of this product beside the same WordPress with Debian's own nginx and PHP-FPM, on one
 * server, over TLS, alternating: A, B, B, A. Exits with status 1 if it is slower than promised, in
 * requests per second: an uncached page below 0.95 ×, a cached one below 50 ×, a static file below
 * 1 ×, or if a sleeping site has more than 6 MB. Needs the lab (root, systemd-nspawn), and wrk.
 */
async function main(): Promise<void> {
  const bench = await openBench()
  try {
    showLoad('before')
    const missed: string[] = []
    for (const one of CASES) {
      for (const connections of CONNECTIONS) {
        const ratio = await compare(bench, one, connections)
        if (ratio < one.promised) missed.push(`${one.name}, ${connections} at once`)
      }
    }
    if ((await memory(bench)) > ASLEEP_KB) missed.push('memory of a site that sleeps')
    showLoad('after')
    if (missed.length > 0) throw new Error(`less than promised: ${missed.join('; ')}`)
  } finally {
    await bench.close()
  }
}

function showLoad(when: string): void {
  const figures = loadavg().map((figure) => figure.toFixed(1))
  console.log(`load of this machine ${when}: ${figures.join(' ')}`)
}

/** The median of each round's ratio: both sides of a round have the same conditions. */
async function compare(bench: Bench, one: Case, connections: number): Promise<number> {
  await warm(bench, one)
  await checkAnswers(bench, one)
  const loads: Record<Side, Load[]> = { product: [], hand: [] }
  for (let round = 0; round < ROUNDS; round++) {
    const sides: Side[] = round % 2 === 0 ? ['product', 'hand'] : ['hand', 'product']
    for (const side of sides) {
      loads[side].push(await load(bench, side, one, connections))
    }
  }
  await checkAnswers(bench, one)
  const ratios = loads.product.map(({ rate }, at) => rate / (loads.hand[at]?.rate ?? 0))
  console.log(`${one.name}, ${connections} at once`)
  for (const side of ['product', 'hand'] as const)
    console.log(`  ${side.padEnd(8)} ${describe(loads[side])}`)
  console.log(`  ratio    ${median(ratios).toFixed(2)} (promised: ${one.promised})`)
  const rate = (side: Side) => median(loads[side].map((each) => each.rate))
  report({
    ...{ name: `${one.name}, ${connections} at once`, unit: 'requests/s' },
    ...{ ours: rate('product'), against: rate('hand'), ratio: median(ratios) },
    at_least: one.promised,
  })
  return median(ratios)
}

function describe(loads: readonly Load[]): string {
  const of = (key: keyof Load) => median(loads.map((one) => one[key]))
  const rates = loads.map(({ rate }) => rate)
  return [
    `${of('rate').toFixed(1)}/s [${Math.min(...rates).toFixed(1)} to ${Math.max(...rates).toFixed(1)}]`,
    `median ${of('median_ms').toFixed(1)} ms`,
    `p95 ${of('p95_ms').toFixed(1)} ms`,
    `${of('cpu').toFixed(3)} ms of processor`,
  ].join(', ')
}

/** Memory of a sleeping site in kB. */
async function memory(bench: Bench): Promise<number> {
  const { asleep, awake } = await wakes(bench)
  console.log(
    `first byte of a site that slept ${median(asleep).toFixed(0)} ms, awake ${median(awake).toFixed(0)} ms`,
  )
  console.log(
    `PSS of PHP: ${kB(await pss(bench, PRODUCT_GROUP))} awake, ${kB(await pss(bench, HAND_GROUP))} by hand`,
  )
  await putToSleep(bench)
  const sleeping = await pss(bench, PRODUCT_GROUP)
  console.log(`PSS of PHP that sleeps: ${kB(sleeping)} (promised: ${kB(ASLEEP_KB)} at most)`)
  report({
    ...{ name: 'memory of a sleeping site', unit: 'MB', ours: sleeping / 1024 },
    at_most: ASLEEP_KB / 1024,
  })
  return sleeping
}

const kB = (size: number) => `${(size / 1024).toFixed(1)} MB`

await main().then(() => process.exit(0), fail)
