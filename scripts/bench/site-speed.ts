import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fpmService } from '#agent/features/php/fpm-files.ts'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'
import { poll } from '#tests/support/lab/wait.ts'
import { benchmark, report } from './lib/benchmark.ts'
import { median } from './lib/measure.ts'
import { PHP, startServer } from './lib/server.ts'

const CONNECTIONS = [4, 20]
const ROUNDS = Number(process.env.ROUNDS ?? 6)
const WAKES = 5
/** A run of wrk takes this long, and longer if there is no answer in that time. */
const SECONDS = 3
const MAX_SECONDS = 30
const PRODUCT = 'shop.example.test'
const BY_HAND = 'hand.example.test'

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
  at_least: number
  /** The cache status of every answer of the product; Debian's setup has none. */
  cache?: 'hit' | 'bypass'
}

const CASES: readonly Case[] = [
  { name: 'page, not cached', path: '/', header: SHOPPER, at_least: 0.95, cache: 'bypass' },
  { name: 'page, cached', path: '/', header: 'X-Bench: 1', at_least: 50, cache: 'hit' },
  { name: 'static file, 106 kB', path: FONT, header: 'X-Bench: 1', at_least: 1 },
]

/** Runs a program of this machine in a network beside the server's, where both names resolve. */
type Outside = (argv: readonly string[]) => Promise<string>

/**
 * Compares a site of this product with the same WordPress on Debian's own nginx and PHP-FPM, on one
 * server, over TLS, in requests per second, alternating: A, B, B, A. Fails if their answers differ.
 * Needs the lab (root, systemd-nspawn), and wrk.
 */
async function main(): Promise<void> {
  await lab.needPrograms({ wrk: 'wrk', curl: 'curl' })
  const host = await startSites()
  const { netns } = await lab.switchUp()
  // ip-netns(8): its files replace those of the same name below /etc.
  const names = join('/etc/netns', netns)
  await mkdir(names, { recursive: true })
  await writeFile(join(names, 'hosts'), `${host.address} ${PRODUCT} ${BY_HAND}\n`)
  const outside: Outside = (argv) => must(['ip', 'netns', 'exec', netns, ...argv])
  try {
    for (const one of CASES)
      for (const connections of CONNECTIONS) await compare(outside, one, connections)
    await measureSleep(host, outside)
  } finally {
    await rm(names, { recursive: true, force: true })
  }
}

/** Returns a server with one site of the agent, and the same WordPress, set up by hand. */
async function startSites(): Promise<lab.Host> {
  const { host, exec } = await startServer('speed')
  const site = { domain: PRODUCT, php: PHP, tier: 'small', tls: 'self-signed', user: 'shop' }
  await exec('site.create', { ...site, email: 'owner@example.test' })
  // Its jobs of every minute are not part of the comparison.
  await host.must(['systemctl', 'stop', 'hosting-agent.service'])
  const script = await Bun.file(join(import.meta.dirname, 'site-speed/by-hand.sh')).text()
  await host.put('/opt/by-hand.sh', script)
  await host.must(['sh', '/opt/by-hand.sh', PHP])
  return host
}

/** Reports the median of each round's ratio: both sides of a round have the same conditions. */
async function compare(outside: Outside, one: Case, connections: number): Promise<void> {
  await warm(outside, one)
  await checkAnswers(outside, one)
  const rates: Record<Side, number[]> = { product: [], hand: [] }
  for (let round = 0; round < ROUNDS; round++) {
    const sides: Side[] = round % 2 === 0 ? ['product', 'hand'] : ['hand', 'product']
    for (const side of sides) rates[side].push(await rateOf(outside, side, one, connections))
  }
  await checkAnswers(outside, one)
  report(`${one.name}, ${connections} at once`, median(rates.product), 'requests/s', {
    against: median(rates.hand),
    ratio: median(rates.product.map((rate, at) => rate / (rates.hand[at] ?? 0))),
    at_least: one.at_least,
  })
}

/** Lets every worker of both sides compile its scripts. */
async function warm(outside: Outside, { path, header }: Case): Promise<void> {
  // nginx loads the manual virtual host a moment after the signal.
  const answers = () =>
    answer(outside, 'hand', path, header).then(
      () => true,
      () => false,
    )
  await poll(answers, { timeout_ms: 30_000, awaited: `${BY_HAND} answers` })
  for (let left = 6; left > 0; left--) {
    const sides = ['product', 'hand', 'product', 'hand'] as const
    await Promise.all(sides.map((side) => answer(outside, side, path, header)))
  }
}

/** Throws unless both sides return the same, and the product with the right cache status. */
async function checkAnswers(outside: Outside, { path, header, cache }: Case): Promise<void> {
  // Renews a page that has just expired.
  await answer(outside, 'product', path, header)
  const product = await answer(outside, 'product', path, header)
  const hand = await answer(outside, 'hand', path, header)
  const own = product.body.replaceAll(PRODUCT, BY_HAND)
  if (own !== hand.body) throw new Error(`${path}: the answers differ`)
  if (hand.body.length < 10_000) throw new Error(`${path}: only ${hand.body.length} bytes`)
  if (cache && !product.head.includes(`x-cache: ${cache}`))
    throw new Error(`${path}: not ${cache}:\n${product.head}`)
}

async function answer(outside: Outside, side: Side, path: string, header: string) {
  const url = `https://${DOMAINS[side]}${path}`
  const argv = ['curl', '-sk', '--compressed', '--dump-header', '-', '-H', header, url]
  const text = await outside(argv)
  const at = text.indexOf('\r\n\r\n')
  const head = text.slice(0, at).toLowerCase()
  if (!/^http\/\S+ 200/.test(head)) throw new Error(`${url}: ${head}`)
  return { head, body: text.slice(at + 4) }
}

/** Returns the requests in a second. Throws for an answer that is not a success. */
async function rateOf(outside: Outside, side: Side, one: Case, connections: number) {
  const url = `https://${DOMAINS[side]}${one.path}`
  for (let seconds = SECONDS; seconds <= MAX_SECONDS; seconds *= 2) {
    const text = await outside([
      ...['wrk', '--threads', '1', '--connections', `${connections}`, '--duration', `${seconds}s`],
      ...['--timeout', '20s', '--header', one.header, '--header', 'Accept-Encoding: gzip', url],
    ])
    if (/Non-2xx|Socket errors/.test(text)) throw new Error(`${url}:\n${text}`)
    const rate = Number(/^Requests\/sec: +([\d.]+)$/m.exec(text)?.[1])
    if (rate > 0) return rate
  }
  throw new Error(`${url}: no answer in ${MAX_SECONDS} s`)
}

const { unit, processes } = fpmService({ user: 'shop', php: PHP })

/** Puts the site to sleep and wakes it up several times, as the agent does it without visitors. */
async function measureSleep(host: lab.Host, outside: Outside): Promise<void> {
  const times: Record<'asleep' | 'awake', number[]> = { asleep: [], awake: [] }
  for (let left = WAKES; left > 0; left--) {
    await host.must(['systemctl', 'stop', unit])
    times.asleep.push(await firstByte(outside))
    times.awake.push(await firstByte(outside))
  }
  const [asleep, awake] = [median(times.asleep).toFixed(0), median(times.awake).toFixed(0)]
  console.log(`first byte of a site that slept ${asleep} ms, awake ${awake} ms`)
  await host.must(['systemctl', 'stop', unit])
  report('memory of a sleeping site', await pss(host), 'MB', { at_most: 6 })
}

/** Returns the MB of the site's PHP, shared pages divided by their number of users. */
async function pss(host: lab.Host): Promise<number> {
  const { stdout } = await host.exec(['cat', processes])
  const pids = stdout.split('\n').filter(Boolean)
  if (pids.length === 0) return 0
  const text = await host.must(['cat', ...pids.map((pid) => `/proc/${pid}/smaps_rollup`)])
  const kB = [...text.matchAll(/^Pss: +(\d+) kB$/gm)].reduce((sum, [, one]) => sum + Number(one), 0)
  return kB / 1024
}

async function firstByte(outside: Outside): Promise<number> {
  const format = '%{http_code} %{time_starttransfer}'
  const argv = ['curl', '-sk', '-o', '/dev/null', '-w', format, '-H', SHOPPER]
  const [status, seconds] = (await outside([...argv, `https://${PRODUCT}/`])).split(' ')
  if (status !== '200') throw new Error(`${PRODUCT} answers ${status}`)
  return Number(seconds) * 1000
}

await benchmark(main, lab.switchDown)
