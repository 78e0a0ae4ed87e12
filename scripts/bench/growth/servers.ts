import { listOnline, storeReadings } from '#dashboard/features/metrics/queries.ts'
import { readPulse, storeChanges } from '#dashboard/features/servers/pulse/read-pulse.ts'
import { backgroundSync } from '#dashboard/features/servers/sync/run-sync.ts'
import { median } from '#scripts/bench/lib/measure.ts'
import { ownProcessorTime } from '#scripts/bench/lib/process.ts'
import { checkFleet, fleetOf, forEach, startAgents } from '#scripts/bench/sync/fleet.ts'
import { temporaryFolder } from '#tests/support/processes.ts'

const TRIES = 3
/** Each try has this number of minutes of servers: small fleets repeat the minute so often. */
const SERVER_MINUTES = 2_000
/** First all is recorded, then the columns are filled, and then nothing changes. */
const SYNCS = 3

/** Returns the processor time in ms for a server and a minute without a change. */
export async function costOfServer(count: number): Promise<number> {
  const folder = await temporaryFolder('growth')
  const { agents, agent } = await startAgents()
  const fleet = await fleetOf(folder, count, agent)
  const ids = Array.from({ length: count }, (_, number) => number + 1)
  for (let sync = 0; sync < SYNCS; sync++) {
    fleet.stored.clear()
    await forEach(ids, (id) => backgroundSync(fleet, id))
  }
  await checkFleet(fleet, count)
  const minute = minuteOf(fleet)
  const minutes = Math.ceil(SERVER_MINUTES / count)
  const repeated = async () => {
    for (let turn = 0; turn < minutes; turn++)
      if ((await minute()) !== count) throw new Error('not all servers are online')
  }
  for (const _ of [1, 2]) await repeated()
  const times: number[] = []
  for (let turn = 0; turn < TRIES; turn++) times.push(await ownProcessorTime(repeated))
  await checkFleet(fleet, count)
  fleet.agents.close()
  fleet.db.close()
  await agents.kill()
  return median(times) / minutes / count
}

type Fleet = Awaited<ReturnType<typeof fleetOf>>
type Readings = Parameters<typeof storeReadings>[1][number][]
type Server = Awaited<ReturnType<typeof listOnline>>[number]

/** As the pulses of a minute are divided. */
const TURNS = 50

/**
 * Returns a function that does what a dashboard does for its servers in a minute in which nothing
 * changes, and that returns their number. It throws if a server has changed.
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
      await forEach(mine, (server) => read(server, at, readings))
      await storeReadings(db, readings)
    }
    return online.length
  }
}
