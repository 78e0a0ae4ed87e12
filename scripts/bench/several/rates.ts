import { connectToServer } from '#dashboard/db/connect.ts'
import { median, timed } from '#scripts/bench/lib/measure.ts'
import { processorTime } from '#scripts/bench/lib/process.ts'
import type { SharedRecords } from '#tests/support/leases/fleet.ts'
import { answersWithin } from './load.ts'
import { type Loaded, startMembers, startSingle } from './world.ts'

const TRIES = 3
const MS = Number(process.env.LOAD_MS ?? 3_000)
const WARM_MS = MS / 6
const MOST = 3
const QUERIES = 1_000
const IDLE_MS = 10_000

const PATHS = ['/api/servers', '/api/servers/1/sites', '/api/fleet', '/api/activity?limit=100']

export interface Rate {
  /** Requests in a second, which depends on the number of processors of this machine. */
  plain: number
  /** Milliseconds of processor time of the dashboards for a request. */
  dashboards: number
  /** The same of the libSQL server. */
  sqld: number
}

/** The rates of one address, with the number of dashboards on one libSQL server; 0: a file. */
export interface Rates {
  path: string
  of: Map<number, Rate>
}

/** Milliseconds of processor time for a request. */
export const costOf = ({ dashboards, sqld }: Rate): number => dashboards + sqld

/** Requests in a second of processor time. */
export const processed = (rate: Rate): number => 1000 / costOf(rate)

/**
 * Requests with three, two and one dashboards on one libSQL server, and with a single one with a
 * file, which takes turns with them. Throws if an answer differs from that of another dashboard.
 */
export async function measureRates(): Promise<{ rates: Rates[]; query: number; idle: number }> {
  const single = await startSingle()
  const { records, members } = await startMembers(MOST)
  const idle = await idleTime(records, members)
  const query = await queryTime(records, idle.sqld)
  const samples = PATHS.map((path) => ({ path, of: new Map<number, Rate[]>() }))
  for (let count = MOST; count > 0; count--) {
    for (const { path, of } of samples)
      for (let turn = 0; turn < TRIES; turn++) {
        add(of, 0, await rateOf([single], path))
        add(of, count, await rateOf(members, path, records.sqld.pid))
      }
    // Its shares are released at once, before the others are measured again.
    await members.pop()?.dashboard.stop()
  }
  await single.dashboard.stop()
  await records.stop()
  const rates = samples.map(({ path, of }) => ({
    path,
    of: new Map([...of].map(([count, each]) => [count, middle(each)])),
  }))
  return { rates, query, idle: (idle.dashboards + idle.sqld) / MOST }
}

/** What runs without requests: milliseconds of processor time in a second, of all dashboards. */
async function idleTime({ sqld }: SharedRecords, members: readonly Loaded[]) {
  const pids = members.map(({ dashboard }) => dashboard.pid)
  const before = { dashboards: await timesOf(pids), sqld: await processorTime(sqld.pid) }
  await Bun.sleep(IDLE_MS)
  return {
    dashboards: ((await timesOf(pids)) - before.dashboards) / (IDLE_MS / 1000),
    sqld: ((await processorTime(sqld.pid)) - before.sqld) / (IDLE_MS / 1000),
  }
}

/**
 * Milliseconds of processor time of the libSQL server for a query that reads no table. `idle`: what
 * it needs in a second without it.
 */
async function queryTime({ sqld }: SharedRecords, idle: number): Promise<number> {
  const token = (await Bun.file(sqld.token_file).text()).trim()
  const client = connectToServer({ url: sqld.url, token })
  const before = await processorTime(sqld.pid)
  const ms = await timed(async () => {
    for (let turn = 0; turn < QUERIES; turn++) await client.execute('select 1')
  })
  client.close()
  return ((await processorTime(sqld.pid)) - before - (idle * ms) / 1000) / QUERIES
}

async function timesOf(pids: readonly number[]): Promise<number> {
  return (await Promise.all(pids.map(processorTime))).reduce((sum, ms) => sum + ms, 0)
}

function add(of: Map<number, Rate[]>, count: number, rate: Rate): void {
  of.set(count, [...(of.get(count) ?? []), rate])
}

const middle = (rates: readonly Rate[]): Rate => ({
  plain: median(rates.map(({ plain }) => plain)),
  dashboards: median(rates.map(({ dashboards }) => dashboards)),
  sqld: median(rates.map(({ sqld }) => sqld)),
})

async function rateOf(loaded: readonly Loaded[], path: string, sqld?: number): Promise<Rate> {
  const targets = loaded.map(({ client }) => ({ url: client.base, cookie: client.cookie ?? '' }))
  const expected = await sameAnswer(loaded, path)
  await answersWithin(WARM_MS, targets, path, expected)
  const pids = loaded.map(({ dashboard }) => dashboard.pid)
  const used = async () => ({
    at: performance.now(),
    dashboards: await timesOf(pids),
    sqld: await timesOf(sqld === undefined ? [] : [sqld]),
  })
  const before = await used()
  const answers = await answersWithin(MS, targets, path, expected)
  const after = await used()
  return {
    plain: (answers * 1000) / (after.at - before.at),
    dashboards: (after.dashboards - before.dashboards) / answers,
    sqld: (after.sqld - before.sqld) / answers,
  }
}

async function sameAnswer(loaded: readonly Loaded[], path: string): Promise<string> {
  const answers = await Promise.all(loaded.map(({ client }) => client.get(path)))
  const texts = new Set(answers.map(({ text }) => text))
  const [text = ''] = texts
  if (texts.size !== 1 || answers.some(({ status }) => status !== 200))
    throw new Error(`the dashboards do not answer ${path} alike: ${[...texts].join('\n')}`)
  return text
}
