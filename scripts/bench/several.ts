import { eq } from 'drizzle-orm'
import { type Database, openDatabase } from '#dashboard/kernel/db/client.ts'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { Client } from '#tests/support/client.ts'
import { type Member, SharedRecords, until } from '#tests/support/leases/fleet.ts'
import {
  ADMIN,
  dashboardFolder,
  type Running,
  startDashboard,
  sweep,
} from '#tests/support/processes.ts'
import { benchmark, report } from './lib/benchmark.ts'
import { alternating, median } from './lib/measure.ts'
import { fillFleet } from './lib/records.ts'
import { answersPerSecond } from './lib/wrk.ts'

const TRIES = Number(process.env.TRIES ?? 3)
const MAX_DASHBOARDS = 3
const PATHS = ['/api/servers', '/api/servers/1/sites', '/api/fleet', '/api/activity?limit=100']
/** In seconds: no sync changes a list while it is read. */
const DAY = 86_400
/** Nothing listens there. */
const NOWHERE = { hostname: '127.0.0.1', port: 1 }

interface Loaded {
  dashboard: Running
  client: Client
}

/**
 * Compares the answers in a second of processor time, with a session that is checked each time: of
 * three dashboards on one libSQL server, of one of them, each with that of the server, and of a single
 * dashboard with a file. Fails if the dashboards do not come to the same answer.
 */
async function main(): Promise<void> {
  const single = await startSingle()
  const { records, members } = await startMembers()
  const rates = await ratesOf(members, records.sqld.pid)
  // Their shares are released at once, before the remaining one is measured.
  while (members.length > 1) await members.pop()?.dashboard.stop()
  const costs: { ours: number; against: number }[] = []
  for (const path of PATHS) {
    const { file, one } = await alternating(TRIES, median, {
      file: () => rateOf([single], path),
      one: () => rateOf(members, path, records.sqld.pid),
    })
    const name = `${path}, one dashboard against one with a file`
    report(name, one, 'requests/s of processor', { against: file, at_least: 0 })
    costs.push({ ours: 1000 / (rates.get(path) ?? 0), against: 1000 / one })
  }
  await records.stop()
  const [first] = costs.toSorted((a, b) => b.ours / b.against - a.ours / a.against)
  const { ours = Number.NaN, against = Number.NaN } = first ?? {}
  const name = 'processor time of a request, three dashboards against one'
  report(name, ours, 'ms', { against, at_most: 1.5 })
}

async function ratesOf(members: readonly Loaded[], sqld: number): Promise<Map<string, number>> {
  const rates = new Map<string, number>()
  for (const path of PATHS) {
    const { rate } = await alternating(TRIES, median, { rate: () => rateOf(members, path, sqld) })
    rates.set(path, rate)
  }
  return rates
}

/** Returns the answers in a second of processor time of the dashboards and of the libSQL server. */
async function rateOf(loaded: readonly Loaded[], path: string, sqld?: number): Promise<number> {
  await checkAnswers(loaded, path)
  const targets = loaded.map(({ client: { base, cookie } }) => ({ url: base + path, cookie }))
  const pids = loaded.map(({ dashboard }) => dashboard.pid)
  return answersPerSecond(targets, sqld === undefined ? pids : [...pids, sqld])
}

/** Throws unless all dashboards answer alike, at the latest after a contact with a server. */
async function checkAnswers(loaded: readonly Loaded[], path: string): Promise<void> {
  await until(`the same answers to ${path}`, async () => {
    // A dashboard may have closed a connection that was kept.
    const call = { path, headers: { connection: 'close' } }
    const answers = await Promise.all(loaded.map(({ client }) => client.send(call)))
    const texts = new Set(answers.map(({ text }) => text))
    return texts.size === 1 && answers.every(({ status }) => status === 200)
  })
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

/** Starts dashboards on one libSQL server, with the same records. */
async function startMembers(): Promise<{ records: SharedRecords; members: Member[] }> {
  const records = await SharedRecords.start()
  const members: Member[] = []
  while (members.length < MAX_DASHBOARDS) members.push(await records.add())
  await until('shares for all', async () => (await records.shares()).length === MAX_DASHBOARDS)
  await members[0]?.client.put('/api/settings/sync_interval', { value: DAY })
  const token = (await Bun.file(records.sqld.token_file).text()).trim()
  const db = await openDatabase(records.sqld.url, token)
  await fill(db)
  // Until then, each failed contact changes the answers.
  const online = () => db.read.$count(servers, eq(servers.status, 'online'))
  await until('all servers are offline', async () => (await online()) === 0, 120_000)
  db.close()
  return { records, members }
}

async function fill(db: Database): Promise<void> {
  await fillFleet(db)
  await db.write((queries) => queries.update(servers).set(NOWHERE))
}

await benchmark(main, sweep)
