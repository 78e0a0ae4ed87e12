import { readFile } from 'node:fs/promises'
import { cpuUsage } from 'node:process'
import { sql } from 'drizzle-orm'
import { listOnline, storeReadings } from '#dashboard/metrics/queries.ts'
import { readPulse, storeChanges } from '#dashboard/pulse/read-pulse.ts'
import { Limit } from '#dashboard/runtime/limit.ts'
import { backgroundSync } from '#dashboard/sync/run-sync.ts'
import { median } from '#scripts/bench/lib/measure.ts'
import { SITES } from '#scripts/bench/sync/answers.ts'
import { fleetOf, type KnownAgent } from '#scripts/bench/sync/fleet.ts'
import { listening } from '#tests/support/children.ts'
import { temporaryFolder } from '#tests/support/processes.ts'

const TRIES = 3
/** For each try: small fleets repeat the minute so often. */
const SERVER_MINUTES = 2_000
/** First all is recorded, then the columns are filled, and then nothing changes. */
const SYNCS = 3

/** Milliseconds of processor time for a server and a minute without a change, in a fleet of `count`. */
export async function costOfServer(count: number): Promise<number> {
  const folder = await temporaryFolder('growth')
  const known = `${folder}/agent.json`
  const program = new URL('../sync/agents.ts', import.meta.url).pathname
  const agents = await listening([process.execPath, program, known], { env: {} })
  const agent: KnownAgent = { ...JSON.parse(await readFile(known, 'utf8')), port: agents.port }
  const fleet = await fleetOf(folder, count, agent)
  const ids = Array.from({ length: count }, (_, number) => number + 1)
  for (let sync = 0; sync < SYNCS; sync++) {
    fleet.stored.clear()
    await each(ids, (id) => backgroundSync(fleet, id))
  }
  await check(fleet, count)
  const minute = minuteOf(fleet)
  const minutes = Math.ceil(SERVER_MINUTES / count)
  const repeated = async () => {
    for (let turn = 0; turn < minutes; turn++)
      if ((await minute()) !== count) throw new Error('not all servers are online')
  }
  for (const _ of [1, 2]) await repeated()
  const times: number[] = []
  for (let turn = 0; turn < TRIES; turn++) times.push(await processorTime(repeated))
  await check(fleet, count)
  fleet.agents.close()
  fleet.db.close()
  await agents.kill()
  return median(times) / minutes / count
}

async function check({ db }: Awaited<ReturnType<typeof fleetOf>>, count: number): Promise<void> {
  const found = await db.read.get<{ servers: number; sites: number }>(sql`
    select (select count(*) from servers where status = 'online' and last_sync is not null) as servers,
      (select count(*) from sites where status = 'active') as sites`)
  if (found?.servers !== count || found.sites !== count * SITES)
    throw new Error(`the records are wrong: ${JSON.stringify(found)}`)
}

/** In ms, of all threads of this process. */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = cpuUsage()
  await work()
  const { user, system } = cpuUsage(before)
  return (user + system) / 1000
}

type Fleet = Awaited<ReturnType<typeof fleetOf>>
type Readings = Parameters<typeof storeReadings>[1][number][]
type Server = Awaited<ReturnType<typeof listOnline>>[number]

/** As the pulses of a minute are divided. */
const TURNS = 50
const AT_ONCE = 64

/** Some work for each, for a few of them at a time. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<unknown>) {
  const limit = new Limit(AT_ONCE)
  await Promise.all(all.map((one) => limit.run(() => work(one))))
}

/**
 * What a dashboard does for its servers in a minute in which nothing changes, as soon as it is
 * called. Returns their number. Throws if a server has changed.
 */
function minuteOf(fleet: Fleet): () => Promise<number> {
  const { db } = fleet
  const { signal } = new AbortController()
  const read = async (server: Server, at: number, readings: Readings) => {
    // The agents answer at once.
    const answer = await readPulse(fleet, server, { wait: 0, with_state: true, signal })
    await storeChanges(fleet, server, answer)
    const { metrics, synced_at } = answer
    if (synced_at === undefined) throw new Error(`server ${server.id} has changed`)
    readings.push({ server_id: server.id, at, metrics, synced_at })
  }
  return async () => {
    const at = Math.floor(Date.now() / 60_000) * 60
    const online = await listOnline(db)
    for (const mine of Map.groupBy(online, ({ id }) => id % TURNS).values()) {
      const readings: Readings = []
      await each(mine, (server) => read(server, at, readings))
      await storeReadings(db, readings)
    }
    return online.length
  }
}
