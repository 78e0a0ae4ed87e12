import { type Case, DOMAINS, type Side } from './cases.ts'
import { type Bench, PHP } from './host.ts'

/** The result of one run of wrk; `cpu`: milliseconds of CPU per answer, of nginx and PHP. */
export interface Load {
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
export async function load(
  bench: Bench,
  side: Side,
  one: Case,
  connections: number,
): Promise<Load> {
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
