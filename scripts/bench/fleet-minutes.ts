import { createServer } from 'node:net'
import { sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Running } from '#tests/support/children.ts'
import { startDashboard, sweep } from '#tests/support/processes.ts'
import { SITES } from './lib/answers.ts'
import { benchmark, report } from './lib/benchmark.ts'
import { addServers, fleetFolder, startAgents } from './lib/fleet.ts'
import { mean, privateMemory, processorTime } from './lib/measure.ts'

const SERVERS = Number(process.env.SERVERS ?? 10_000)
const MINUTES = Number(process.env.MINUTES ?? 10)
/** Three of ten are dead: two refuse connections, one accepts them and never answers. */
const REFUSING = [7, 8]
const SILENT = 9
const ALIVE = (SERVERS * 7) / 10
const MINUTE_MS = 60_000
/** A sync is late after an interval of the syncs, and one more. */
const LATE_MS = 2 * MINUTE_MS
const MAX_START_MINUTES = 15
/** Nothing listens on the port of tcpmux. */
const NOBODY = 1

/**
 * Measures a dashboard with 10,000 enrolled servers that it syncs every minute, 7,000 of them with
 * 20 sites each and 3,000 dead ones. Fails if a server that answers is reported offline or not
 * synced in time.
 */
async function main(): Promise<void> {
  const agents = await startAgents('enrolled')
  const { folder, deps } = await fleetFolder()
  const { db } = deps
  await addServers(deps, SERVERS, { port: agents.port, status: 'online' }, agents)
  for (const digit of REFUSING) await movePort(db, digit, NOBODY)
  await movePort(db, SILENT, await silentPort())
  const dashboard = await startDashboard(folder)
  await settled(db)
  const { percents, memory } = await watched(db, dashboard)
  const shown = (values: readonly number[]) => values.map((value) => value.toFixed(0)).join(', ')
  console.log(`percent of a core, each minute: ${shown(percents)}`)
  console.log(`MB, each minute: ${shown(memory)}`)
  report(`processor of ${SERVERS} servers`, mean(percents), '% of a core', { at_most: 50 })
  report('private memory', Math.max(...memory), 'MB', { at_most: 300 })
  db.close()
}

const movePort = (db: Database, digit: number, port: number) =>
  db.write((queries) =>
    queries.run(sql`update servers set port = ${port} where id % 10 = ${digit}`),
  )

function silentPort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  // What is not read has no end: the dashboard's would stay unseen, and the connection open.
  const server = createServer((socket) => socket.on('error', () => socket.destroy()).resume())
  server.listen(0, '0.0.0.0', () => resolve(Object(server.address()).port))
  return promise
}

/** Waits until every server that answers was synced, and the dead ones are offline. */
async function settled(db: Database): Promise<void> {
  for (let minute = 0; minute <= MAX_START_MINUTES; minute++) {
    await Bun.sleep(MINUTE_MS)
    const found = await countsOf(db)
    console.log(`minute ${minute + 1}: ${JSON.stringify(found)}`)
    const { synced, dead_online, sites } = found
    if (synced === ALIVE && dead_online === 0 && sites === ALIVE * SITES) return
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
    if (live_offline > 0 || synced < ALIVE || late > LATE_MS)
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

await benchmark(main, sweep)
