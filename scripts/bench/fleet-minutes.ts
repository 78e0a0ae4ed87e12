import { createServer } from 'node:net'
import process from 'node:process'
import { sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { fail } from '#scripts/lib/fail.ts'
import { type Running, runToEnd } from '#tests/support/children.ts'
import { startDashboard, sweep } from '#tests/support/processes.ts'
import { report } from './lib/figure.ts'
import { mean } from './lib/measure.ts'
import { privateMemory, processorTime } from './lib/process.ts'
import { SITES } from './sync/answers.ts'
import { fleetFolder, startAgents } from './sync/fleet.ts'

const SERVERS = Number(process.env.SERVERS ?? 10_000)
const MINUTES = Number(process.env.MINUTES ?? 10)
/** Three of ten are dead: two refuse connections, one accepts them and never answers. */
const REFUSING = [7, 8]
const SILENT = 9
const MINUTE_MS = 60_000
/** A sync is late after an interval of the syncs, and one more. */
const LATE_MS = 2 * MINUTE_MS
const MAX_START_MINUTES = 15
/** Nothing listens on the port of tcpmux. */
const NOBODY = 1
const HELD = '1000'
const GOALS = { percent: 50, MB: 300 }

/**
 * Measures a dashboard with 10,000 enrolled servers that it syncs every minute, 7,000 of them with
 * 20 sites each and 3,000 dead ones. Exits with status 1 if a goal is missed, or if a server that
 * answers is reported offline or not synced in time.
 */
async function main(): Promise<void> {
  const { agents, agent } = await startAgents()
  const { folder, fleet } = await fleetFolder(SERVERS, agent)
  const { db } = fleet
  await kill(db, await silentPort())
  const dashboard = await startDashboard(folder)
  await settled(db)
  const { percents, memory } = await watched(db, dashboard)
  const shown = (values: readonly number[]) => values.map((value) => value.toFixed(0)).join(', ')
  console.log(`percent of a core, each minute: ${shown(percents)}`)
  console.log(`MB, each minute: ${shown(memory)}`)
  const met = [
    report({
      ...{ name: `processor of ${SERVERS} servers`, unit: '% of a core' },
      ...{ ours: mean(percents), at_most: GOALS.percent },
    }),
    report({ name: 'private memory', unit: 'MB', ours: Math.max(...memory), at_most: GOALS.MB }),
  ]
  db.close()
  await dashboard.kill()
  if (met.includes(false)) await printHeldCalls(agents)
  await sweep()
  if (met.includes(false)) throw new Error('a goal is missed')
}

/** What most of the memory is: a connection to each server, with a call that its agent holds. */
async function printHeldCalls({ port }: Running): Promise<void> {
  const program = new URL('./fleet-minutes/held-calls.ts', import.meta.url).pathname
  console.log(`KB of a held call, of ${HELD}`)
  for (const way of ['https', 'tls', 'bun']) {
    const { out } = await runToEnd([process.execPath, program, way, String(port), HELD], {})
    console.log(`  ${Number(out).toFixed(1).padStart(6)}  ${way}`)
  }
}

/** All were online once. */
async function kill(db: Database, silent: number): Promise<void> {
  await db.write((queries) => queries.run(sql`update servers set status = 'online'`))
  for (const [digit, port] of [
    ...REFUSING.map((each) => [each, NOBODY] as const),
    [SILENT, silent],
  ])
    await db.write((queries) =>
      queries.run(sql`update servers set port = ${port} where id % 10 = ${digit}`),
    )
}

function silentPort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  // What is not read has no end: the dashboard's would stay unseen, and the connection open.
  const server = createServer((socket) => socket.on('error', () => socket.destroy()).resume())
  server.listen(0, '0.0.0.0', () => resolve(Object(server.address()).port))
  return promise
}

/** Every server that answers was synced, and the dead ones are offline. */
async function settled(db: Database): Promise<void> {
  for (let minute = 0; minute <= MAX_START_MINUTES; minute++) {
    await Bun.sleep(MINUTE_MS)
    const found = await countsOf(db)
    console.log(`minute ${minute + 1}: ${JSON.stringify(found)}`)
    const { synced, dead_online, sites } = found
    const alive = (SERVERS * 7) / 10
    if (synced === alive && dead_online === 0 && sites === alive * SITES) return
  }
  throw new Error(`the servers are not settled after ${MAX_START_MINUTES} minutes`)
}

async function watched(db: Database, { pid }: Running) {
  const percents: number[] = []
  const memory: number[] = []
  // The columns of new sites are filled, and each state is known.
  await Bun.sleep(3 * MINUTE_MS)
  for (let minute = 0; minute < MINUTES; minute++) {
    const [begun, before] = [performance.now(), await processorTime(pid)]
    await Bun.sleep(MINUTE_MS)
    const used = (await processorTime(pid)) - before
    percents.push((100 * used) / (performance.now() - begun))
    memory.push(await privateMemory(pid))
    const { synced, live_offline, oldest } = await countsOf(db)
    const late = Date.now() - Date.parse(oldest)
    if (live_offline > 0 || synced < (SERVERS * 7) / 10 || late > LATE_MS)
      throw new Error(`${live_offline} live servers are offline, the oldest sync is ${late} ms old`)
  }
  return { percents, memory }
}

async function countsOf(db: Database) {
  const dead = sql`id % 10 in (${REFUSING[0]}, ${REFUSING[1]}, ${SILENT})`
  const [found] = await db.read.all<{
    synced: number
    live_offline: number
    dead_online: number
    oldest: string
    sites: number
  }>(sql`select count(*) filter (where not ${dead} and last_sync is not null) as synced,
      count(*) filter (where not ${dead} and status <> 'online') as live_offline,
      count(*) filter (where ${dead} and status = 'online') as dead_online,
      min(case when ${dead} then null else last_sync end) as oldest,
      (select count(*) from sites) as sites
    from servers`)
  if (!found) throw new Error('the servers cannot be counted')
  return found
}

await main().then(() => process.exit(0), fail)
