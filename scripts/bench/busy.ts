import { readFile } from 'node:fs/promises'
import { fail } from '#scripts/lib/fail.ts'
import { listening } from '#tests/support/children.ts'
import { Client } from '#tests/support/client.ts'
import {
  ADMIN,
  dashboardFolder,
  type Running,
  startDashboard,
  sweep,
  temporaryFolder,
} from '#tests/support/processes.ts'
import { load } from './busy/load.ts'
import { report } from './lib/figure.ts'
import { quantile } from './lib/measure.ts'
import { processorTime } from './lib/process.ts'
import { printShares, profiled } from './lib/profile.ts'
import { SITES } from './sync/answers.ts'
import { fleetOf, type KnownAgent, SECRET } from './sync/fleet.ts'

const SERVERS = Number(process.env.SERVERS ?? 1_000)
const PER_SECOND = Number(process.env.PER_SECOND ?? 1_000)
const SECONDS = Number(process.env.SECONDS ?? 60)
const PROMISED_MS = 10
const PROFILED_SECONDS = 20
const MAIN = new URL('../../dashboard/main.ts', import.meta.url).pathname
/** A server is read as a whole until one of its syncs has found nothing new. */
const SETTLING_MS = 150_000
/** An interval of the syncs, and one more. */
const LATE_MS = 120_000

/** What open pages read; each is one answer in turn. */
const OFTEN = [
  ...['/api/servers/1/sites', '/api/activity?limit=20', '/api/servers/7', '/api/auth/me'],
  ...['/api/fleet/sites?per_page=20', '/api/servers/1/metrics?range=1h'],
]
/** With 1,000 servers it has half a megabyte: a page reads it when it is opened. */
const RARELY = '/api/fleet'
const PATHS = Array.from({ length: 200 }, (_, place) =>
  place === 0 ? RARELY : (OFTEN[place % OFTEN.length] ?? ''),
)

/**
 * The API of a dashboard while it syncs and polls 1,000 enrolled servers with 20 sites each, over
 * pinned TLS: 1,000 requests a second are sent for a minute at their times, whether or not others
 * have been answered, and each answer is timed from that moment. First while each server has a whole
 * sync, as after a start of the dashboard, then in the minutes after that, in which nothing changes.
 * Exits with status 1 if a request fails, if a server was not synced meanwhile, or if a p99 is missed.
 */
async function main(): Promise<void> {
  const agent_file = `${await temporaryFolder('busy')}/agent.json`
  const program = new URL('./sync/agents.ts', import.meta.url).pathname
  const agents = await listening([process.execPath, program, agent_file], { env: {} })
  const agent: KnownAgent = { ...JSON.parse(await readFile(agent_file, 'utf8')), port: agents.port }
  const folder = await dashboardFolder()
  await Bun.write(`${folder}/seal-secret`, `${SECRET}\n`)
  const fleet = await fleetOf(folder, SERVERS, agent)
  fleet.db.close()
  const dashboard = await startDashboard(folder)
  const client = new Client(dashboard.url)
  await client.login(ADMIN)
  await synced(client)
  const whole = await measure(dashboard, client, 'that have a whole sync')
  await Bun.sleep(SETTLING_MS)
  const met = await measure(dashboard, client, 'that do not change')
  await check(client)
  await dashboard.kill()
  if (!whole || !met) await explain(folder)
  await sweep()
  if (!whole || !met) throw new Error('a goal is missed')
}

/** Where the processor time goes, with half as many requests: the profiler slows the dashboard down. */
async function explain(folder: string): Promise<void> {
  const shares = await profiled([MAIN], { PORT: '0', DATA_DIR: folder }, async ({ url, port }) => {
    const client = new Client(url)
    await client.login(ADMIN)
    const asked = { port, cookie: client.cookie ?? '', paths: PATHS }
    await load({ ...asked, per_second: PER_SECOND / 2, seconds: PROFILED_SECONDS })
  })
  printShares(`a dashboard with ${PER_SECOND / 2} requests a second`, shares)
}

/** Prints the times of the requests, and whether the goal is met. */
async function measure(dashboard: Pick<Running, 'pid' | 'port'>, client: Client, what: string) {
  const before = await processorTime(dashboard.pid)
  const { port } = dashboard
  const { cookie = '' } = client
  const asked = { port, cookie, paths: PATHS, per_second: PER_SECOND, seconds: SECONDS }
  const times = await load(asked)
  const busy = (await processorTime(dashboard.pid)) - before
  console.log(`beside servers ${what}:`)
  const [middle, high, longest] = [0.5, 0.999, 1].map((part) => quantile(times, part).toFixed(1))
  console.log(`median ${middle} ms, p99.9 ${high} ms, longest ${longest} ms`)
  console.log(`${((busy / SECONDS / 1000) * 100).toFixed(0)} % of a processor`)
  const name = `p99 of ${PER_SECOND} requests a second beside ${SERVERS} servers ${what}`
  return report({ name, unit: 'ms', ours: quantile(times, 0.99), at_most: PROMISED_MS })
}

/** Until each server has been synced, and its sites are recorded. */
async function synced(client: Client): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { body } = await client.get('/api/fleet/sites?per_page=1')
    if (Object(body).total === SERVERS * SITES) return
    await Bun.sleep(1000)
  }
  throw new Error('the servers are not synced after five minutes')
}

/** No server is late by more than an interval. */
async function check(client: Client): Promise<void> {
  const since = new Date(Date.now() - LATE_MS).toISOString()
  const { body } = await client.get('/api/servers')
  const servers = Object(body).servers as { last_sync: string | null }[]
  const late = servers.filter(({ last_sync }) => (last_sync ?? '') < since)
  if (servers.length !== SERVERS || late.length > 0)
    throw new Error(`${late.length} of ${servers.length} servers were not synced in time`)
}

await main().then(() => process.exit(0), fail)
