import { listOnline, storeReadings } from '#dashboard/metrics/queries.ts'
import { PulseReader } from '#dashboard/pulse/read-pulse.ts'
import { Limit } from '#dashboard/runtime/limit.ts'
import type { fleetOf } from '#scripts/bench/sync/fleet.ts'

type Fleet = Awaited<ReturnType<typeof fleetOf>>
type Readings = Parameters<typeof storeReadings>[1][number][]
type Server = Awaited<ReturnType<typeof listOnline>>[number]

/** As the pulses of a minute are divided. */
const TURNS = 50
const AT_ONCE = 64

/** Some work for each, for a few of them at a time. */
export async function each<T>(all: readonly T[], work: (one: T) => Promise<unknown>) {
  const limit = new Limit(AT_ONCE)
  await Promise.all(all.map((one) => limit.run(() => work(one))))
}

/**
 * What a dashboard does for its servers in a minute in which nothing changes, as soon as it is
 * called. Returns their number. Throws if a server has changed.
 */
export function minuteOf(fleet: Fleet): () => Promise<number> {
  const { db } = fleet
  const reader = new PulseReader(fleet)
  const { signal } = new AbortController()
  const read = async (server: Server, at: number, readings: Readings) => {
    // The agents answer at once.
    const answer = await reader.read(server, { wait: 0, with_state: true, signal })
    await reader.follow(server, answer)
    const { metrics, synced_at } = answer
    if (synced_at === undefined) throw new Error(`server ${server.id} has changed`)
    readings.push({ server_id: server.id, at, metrics, synced_at })
  }
  return async () => {
    const at = Math.floor(Date.now() / 60_000) * 60
    const online = await listOnline(db)
    reader.keep(online.map(({ id }) => id))
    for (const mine of Map.groupBy(online, ({ id }) => id % TURNS).values()) {
      const readings: Readings = []
      await each(mine, (server) => read(server, at, readings))
      await storeReadings(db, readings)
    }
    return online.length
  }
}
