import type { Socket } from 'bun'
import { eq } from 'drizzle-orm'
import { type Database, openDatabase } from '#dashboard/kernel/db/client.ts'
import { connectToServer } from '#dashboard/kernel/db/connect.ts'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { fail } from '#scripts/lib/fail.ts'
import { Client } from '#tests/support/client.ts'
import { type Member, SharedRecords, until } from '#tests/support/leases/fleet.ts'
import {
  ADMIN,
  dashboardFolder,
  type Running,
  startDashboard,
  sweep,
} from '#tests/support/processes.ts'
import { report } from './lib/figure.ts'
import { fillFleet } from './lib/fleet.ts'
import { median, timed } from './lib/measure.ts'
import { processorTime } from './lib/process.ts'

/** What more dashboards may add to the processor time of a request. */
const THREE_GOAL = 1.5

const MEANING = `The plain rate depends on this machine, where all dashboards, the libSQL server and the client
share the processors: it cannot grow with the number of dashboards. A rate of processor time counts
the requests in a second of processor time of all dashboards and the libSQL server, whatever else
runs. With enough processors, the rate of n dashboards is limited by n times what one processor of a
dashboard answers, and by what the processors of the libSQL server answer.
`

/**
 * Compares one, two and three dashboards on one libSQL server with a single one with a file, by
 * requests with a session that is checked each time. Exits with status 1 if an answer is wrong, or
 * the goal is missed.
 */
async function main(): Promise<void> {
  const { rates, query, idle } = await measureRates()
  console.log(MEANING)
  console.log(`a query without tables: ${query.toFixed(2)} ms of the libSQL server`)
  console.log(`an idle dashboard and its part of the libSQL server: ${idle.toFixed(0)} ms/s`)
  for (const each of rates) print(each)
  const met = [
    ...rates.map(againstFile),
    report({
      ...{ name: 'processor time of a request, three dashboards against one', unit: 'ms' },
      ...{ ...dearest(rates), at_most: THREE_GOAL },
    }),
  ]
  if (met.includes(false)) throw new Error('a goal is missed')
}

/** Prints the figure without a goal: each kept answer needs a question for the version. */
function againstFile({ path, of }: Rates): boolean {
  return report({
    ...{ name: `${path}, one dashboard against one with a file`, unit: 'requests/s of processor' },
    ...{ ours: processed(rateIn(of, 1)), against: processed(rateIn(of, 0)), at_least: 0 },
  })
}

/** Returns the figures of the address whose requests become most expensive. */
function dearest(rates: readonly Rates[]): { ours: number; against: number } {
  const costs = rates.map(({ of }) => ({
    ours: costOf(rateIn(of, 3)),
    against: costOf(rateIn(of, 1)),
  }))
  const [first] = costs.toSorted((a, b) => b.ours / b.against - a.ours / a.against)
  if (!first) throw new Error('nothing was measured')
  return first
}

function rateIn(of: Rates['of'], count: number): Rate {
  const rate = of.get(count)
  if (!rate) throw new Error(`nothing was measured with ${count} dashboards`)
  return rate
}

function print({ path, of }: Rates): void {
  console.log(path)
  for (const [count, rate] of [...of].toSorted(([a], [b]) => a - b)) {
    const { plain, dashboards, sqld } = rate
    const rest = `${plain.toFixed(0)} requests/s, ${processed(rate).toFixed(0)} of processor time`
    if (count === 0) console.log(`  one with a file: ${rest}`)
    else
      console.log(`  ${count} of several: ${rest}; one processor of a dashboard answers \
${(1000 / dashboards).toFixed(0)}, one of the libSQL server ${(1000 / sqld).toFixed(0)}`)
  }
}

const TRIES = 3
const MS = Number(process.env.LOAD_MS ?? 3_000)
const WARM_MS = MS / 6
const MOST = 3
const QUERIES = 1_000
const IDLE_MS = 10_000

const PATHS = ['/api/servers', '/api/servers/1/sites', '/api/fleet', '/api/activity?limit=100']

interface Rate {
  /** Requests in a second, which depends on the number of processors of this machine. */
  plain: number
  /** Milliseconds of processor time of the dashboards for a request. */
  dashboards: number
  /** The same of the libSQL server. */
  sqld: number
}

/** The rates of one address, with the number of dashboards on one libSQL server; 0: a file. */
interface Rates {
  path: string
  of: Map<number, Rate>
}

/** Returns milliseconds of processor time for a request. */
const costOf = ({ dashboards, sqld }: Rate): number => dashboards + sqld

/** Requests in a second of processor time. */
const processed = (rate: Rate): number => 1000 / costOf(rate)

/**
 * Requests with three, two and one dashboards on one libSQL server, and with a single one with a
 * file, which takes turns with them. Throws if an answer differs from that of another dashboard.
 */
async function measureRates(): Promise<{ rates: Rates[]; query: number; idle: number }> {
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

/** Returns the processor time without requests, in ms in a second, of all dashboards. */
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
 * Returns milliseconds of processor time of the libSQL server for a query that reads no table.
 * `idle`: what it needs in a second without it.
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

/**
 * The number of connections to each dashboard; requests at the same time share a query to the
 * libSQL server.
 */
const CONNECTIONS = 12

interface Target {
  url: string
  cookie: string
}

/**
 * Returns the answers in this time, over as many connections to each dashboard. Throws if an answer
 * has another status or another body than `expected`.
 */
async function answersWithin(
  ms: number,
  targets: readonly Target[],
  path: string,
  expected: string,
): Promise<number> {
  const end = performance.now() + ms
  const bytes = Buffer.from(expected)
  const connections = targets.flatMap((target) => new Array<Target>(CONNECTIONS).fill(target))
  const counts = connections.map((target) => repeat(target, path, { bytes, end }))
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** Sends one request after the other over TCP: `fetch` needs as much time as the answer. */
async function repeat(
  { url, cookie }: Target,
  path: string,
  { bytes, end }: { bytes: Buffer; end: number },
): Promise<number> {
  const { hostname, port } = new URL(url)
  const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${cookie}\r\n\r\n`
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let count = 0
  let received: Buffer = Buffer.alloc(0)
  const onData = (socket: Socket, chunk: Buffer) => {
    received = received.length === 0 ? Buffer.from(chunk) : Buffer.concat([received, chunk])
    const answer = wholeIn(received)
    if (!answer) return
    if (answer.status !== 200 || !answer.body.equals(bytes))
      return reject(new Error(`another answer of ${url}${path}: ${received.toString()}`))
    count += 1
    received = Buffer.alloc(0)
    if (performance.now() < end) socket.write(request)
    else resolve(count)
  }
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (opened) => void opened.write(request),
      data: onData,
      close: () => reject(new Error(`${url} has closed a connection`)),
      error: (_, error) => reject(error),
    },
  })
  return promise.finally(() => socket.end())
}

const END_OF_HEADERS = Buffer.from('\r\n\r\n')

function wholeIn(received: Buffer): { status: number; body: Buffer } | undefined {
  const end = received.indexOf(END_OF_HEADERS)
  if (end < 0) return undefined
  const headers = received.toString('latin1', 0, end)
  const length = Number(/^content-length: (\d+)$/im.exec(headers)?.[1])
  const body = received.subarray(end + END_OF_HEADERS.length)
  if (body.length < length) return undefined
  return { status: Number(headers.slice(9, 12)), body }
}

/** In seconds: no sync changes a list while it is read. */
const DAY = 86_400
/** Nothing listens there. */
const NOWHERE = { hostname: '127.0.0.1', port: 1 }

interface Loaded {
  dashboard: Running
  client: Client
}

/** Starts a dashboard with a local file, and the records of 10,000 sites. */
async function startSingle(): Promise<Loaded> {
  const folder = await dashboardFolder()
  const db = await openDatabase(`file:${folder}/dashboard.db`)
  await fill(db)
  db.close()
  const dashboard = await startDashboard(folder)
  const client = new Client(dashboard.url)
  await client.login(ADMIN)
  await client.put('/api/settings/sync_interval', { value: DAY })
  return { dashboard, client }
}

/** Dashboards on one libSQL server, with the same records. */
async function startMembers(count: number): Promise<{ records: SharedRecords; members: Member[] }> {
  const records = await SharedRecords.start()
  const members: Member[] = []
  while (members.length < count) members.push(await records.add())
  await until('shares for all', async () => (await records.shares()).length === count)
  await members[0]?.client.put('/api/settings/sync_interval', { value: DAY })
  const token = (await Bun.file(records.sqld.token_file).text()).trim()
  const db = await openDatabase(records.sqld.url, token)
  await fill(db)
  // The dashboards contact each new server once.
  await until('contacts with all servers', async () => {
    const untried = await db.read.$count(servers, eq(servers.failures, 0))
    return untried === 0
  })
  db.close()
  return { records, members }
}

async function fill(db: Database): Promise<void> {
  await fillFleet(db)
  await db.write((queries) => queries.update(servers).set(NOWHERE))
}

await main()
  .finally(sweep)
  .then(() => process.exit(0), fail)
