import { loadavg } from 'node:os'
import { fpmService } from '#agent/features/php/fpm-files.ts'
import { fail } from '#scripts/lib/fail.ts'
import { poll } from '#tests/support/lab/wait.ts'
import { report } from './lib/figure.ts'
import { median } from './lib/measure.ts'
import { type Bench, BY_HAND, openBench, PHP, PRODUCT } from './site-speed/host.ts'

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

/** Returns the median of each round's ratio: both sides of a round have the same conditions. */
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

type Side = 'product' | 'hand'

const DOMAINS: Record<Side, string> = { product: PRODUCT, hand: BY_HAND }

/** A header that bypasses the page cache, like the cart of a shop. */
const SHOPPER = 'Cookie: edd_bench=1'
const FONT =
  '/wp-content/themes/twentytwentyfive/assets/fonts/fira-code/FiraCode-VariableFont_wght.woff2'

/** The request, as from a browser: compressed if the server supports it. */
interface Case {
  name: string
  path: string
  header: string
  /** The minimum ratio of the product's requests per second to the other one's. */
  promised: number
  /** The cache status of every answer of the product; Debian's setup has none. */
  cache?: 'HIT' | 'BYPASS'
}

const CASES: readonly Case[] = [
  { name: 'page, not cached', path: '/', header: SHOPPER, promised: 0.95, cache: 'BYPASS' },
  { name: 'page, cached', path: '/', header: 'X-Bench: 1', promised: 50, cache: 'HIT' },
  { name: 'static file, 106 kB', path: FONT, header: 'X-Bench: 1', promised: 1 },
]

/** Every worker of both sides has compiled its scripts. */
async function warm(bench: Bench, { path, header }: Case): Promise<void> {
  // nginx loads the manual virtual host a moment after the signal.
  const answers = () =>
    answer(bench, 'hand', path, header).then(
      () => true,
      () => false,
    )
  await poll(answers, { timeout_ms: 30_000, awaited: `${BY_HAND} answers` })
  for (let left = 6; left > 0; left--) {
    const sides = ['product', 'hand', 'product', 'hand'] as const
    await Promise.all(sides.map((side) => answer(bench, side, path, header)))
  }
}

/** Throws unless both sides return the same, and the product with the right cache status. */
async function checkAnswers(bench: Bench, { path, header, cache }: Case): Promise<void> {
  // Renews a page that has just expired.
  await answer(bench, 'product', path, header)
  const [product, hand] = await Promise.all([
    answer(bench, 'product', path, header),
    answer(bench, 'hand', path, header),
  ])
  const own = product.body.replaceAll(PRODUCT, BY_HAND)
  if (own !== hand.body) throw new Error(`${path}: the answers differ`)
  if (hand.body.length < 10_000) throw new Error(`${path}: only ${hand.body.length} bytes`)
  if (cache && !product.head.includes(`x-cache: ${cache.toLowerCase()}`))
    throw new Error(`${path}: not ${cache}:\n${product.head}`)
}

async function answer(bench: Bench, side: Side, path: string, header: string) {
  const url = `https://${DOMAINS[side]}${path}`
  const argv = ['curl', '-sk', '--compressed', '--dump-header', '-', '-H', header, url]
  const text = await bench.outside(argv)
  const at = text.indexOf('\r\n\r\n')
  const head = text.slice(0, at).toLowerCase()
  if (!/^http\/\S+ 200/.test(head)) throw new Error(`${url}: ${head}`)
  return { head, body: text.slice(at + 4) }
}

/** The result of one run of wrk; `cpu`: milliseconds of CPU per answer, of nginx and PHP. */
interface Load {
  rate: number
  median_ms: number
  p95_ms: number
  cpu: number
}

const GROUPS: Record<Side, readonly string[]> = {
  product: ['system.slice/nginx.service', 'hosting.slice/hosting-shop.slice'],
  hand: ['system.slice/nginx.service', `system.slice/php${PHP}-fpm.service`],
}

/** The duration of a run, and the longest one. */
const SECONDS = 3
const LONGEST = 30

/** wrk does not compute the 95th percentile. */
const REPORT = `done = function(summary, latency, requests)
  io.write(string.format("RESULT %d %d %d %d %d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(95), summary.errors.status + summary.errors.connect
    + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
`

/** Throws for an answer that is not a success. Without any answer it runs twice as long. */
async function load(bench: Bench, side: Side, one: Case, connections: number): Promise<Load> {
  for (let long = SECONDS; ; long *= 2) {
    const found = await run(bench, side, one, { connections, seconds: long })
    if (found.requests > 0) return found
    if (long > LONGEST) throw new Error(`${DOMAINS[side]}${one.path}: no answer in ${long} s`)
  }
}

async function run(
  bench: Bench,
  side: Side,
  { path, header }: Case,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Load & { requests: number }> {
  const script = `/tmp/wrk-${process.pid}.lua`
  await Bun.write(script, REPORT)
  const before = await usage(bench, side)
  const text = await bench.outside([
    ...['wrk', '--threads', '1', '--connections', `${connections}`, '--duration', `${seconds}s`],
    ...['--timeout', '20s', '--latency', '--script', script],
    ...['--header', header, '--header', 'Accept-Encoding: gzip', `https://${DOMAINS[side]}${path}`],
  ])
  const used = (await usage(bench, side)) - before
  const numbers = /^RESULT (.+)$/m.exec(text)?.[1]?.split(' ').map(Number) ?? []
  const [requests = 0, microseconds = 1, median = 0, p95 = 0, errors = 1] = numbers
  if (errors > 0) throw new Error(`${DOMAINS[side]}${path}:\n${text}`)
  return {
    requests,
    rate: requests / (microseconds / 1e6),
    median_ms: median / 1000,
    p95_ms: p95 / 1000,
    cpu: used / 1000 / requests,
  }
}

/** CPU time so far, in microseconds. */
async function usage({ host }: Bench, side: Side): Promise<number> {
  const paths = GROUPS[side].map((group) => `/sys/fs/cgroup/${group}/cpu.stat`)
  const text = await host.must(['cat', ...paths])
  return [...text.matchAll(/^usage_usec (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0)
}

const { unit, processes } = fpmService({ user: 'shop', php: PHP })
const WAKES = 5

/** kB that the processes of a control group map, shared pages divided by their number of users. */
async function pss({ host }: Bench, group: string): Promise<number> {
  const { stdout } = await host.exec(['cat', group])
  const pids = stdout.split('\n').filter(Boolean)
  if (pids.length === 0) return 0
  const text = await host.must(['cat', ...pids.map((pid) => `/proc/${pid}/smaps_rollup`)])
  return [...text.matchAll(/^Pss: +(\d+) kB$/gm)].reduce((sum, [, kB]) => sum + Number(kB), 0)
}

const PRODUCT_GROUP = processes
const HAND_GROUP = `/sys/fs/cgroup/system.slice/php${PHP}-fpm.service/cgroup.procs`

/** As the agent does it for a site without visitors. */
const putToSleep = ({ host }: Bench) => host.must(['systemctl', 'stop', unit])

/** Returns the milliseconds until the first byte of a sleeping site, and of it awake. */
async function wakes(bench: Bench): Promise<{ asleep: number[]; awake: number[] }> {
  const asleep: number[] = []
  const awake: number[] = []
  for (let left = WAKES; left > 0; left--) {
    await putToSleep(bench)
    asleep.push(await firstByte(bench))
    awake.push(await firstByte(bench))
  }
  return { asleep, awake }
}

async function firstByte({ outside }: Bench): Promise<number> {
  const format = '%{http_code} %{time_starttransfer}'
  const argv = ['curl', '-sk', '-o', '/dev/null', '-w', format, '-H', 'Cookie: edd_bench=1']
  const [status, seconds] = (await outside([...argv, `https://${PRODUCT}/`])).split(' ')
  if (status !== '200') throw new Error(`${PRODUCT} answers ${status}`)
  return Number(seconds) * 1000
}

await main().then(() => process.exit(0), fail)
