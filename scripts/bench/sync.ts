import { Agent, get } from 'node:https'
import { argv } from 'node:process'
import { listOnline, storeReadings } from '#dashboard/features/metrics/queries.ts'
import { readPulse, storeChanges, syncState } from '#dashboard/features/servers/pulse/read-pulse.ts'
import { backgroundSync } from '#dashboard/features/servers/sync/run-sync.ts'
import { fail } from '#scripts/lib/fail.ts'
import { sweep, temporaryFolder } from '#tests/support/processes.ts'
import { report } from './lib/figure.ts'
import { median, timed } from './lib/measure.ts'
import { ownProcessorTime } from './lib/process.ts'
import { printShares, profiledToEnd } from './lib/profile.ts'
import { hostnameOf } from './sync/addresses.ts'
import { CALLS, WHOLE } from './sync/answers.ts'
import { checkFleet, fleetOf, forEach, type KnownAgent, startAgents } from './sync/fleet.ts'

const USUAL = 1_000
const SERVERS = Number(process.env.SERVERS ?? USUAL)
const FEWER = { SERVERS: '200' }
const TRIES = 3
/** Bytes of all answers of a server. */
const LEAST = 10_000
/** The number of groups into which the pulses of one minute are divided. */
const TURNS = 50
const WHOLE_GOAL = 2
const MINUTE_GOAL_MS = 0.5

/**
 * Syncs of enrolled servers with 20 sites each: pinned TLS, signed requests, committed records. A whole sync
 * beside plain requests for each of its parts over kept connections, and the processor time of a minute in
 * which nothing changes. Exits with status 1 if a goal is missed or a record is wrong.
 */
async function main(): Promise<void> {
  const folder = await temporaryFolder('sync')
  const { agent } = await startAgents()
  const fleet = await fleetOf(folder, SERVERS, agent)
  const ids = Array.from({ length: SERVERS }, (_, number) => number + 1)
  const whole = () => {
    fleet.stored.clear()
    return forEach(ids, (id) => backgroundSync(fleet, id))
  }
  // They are recorded, their columns are filled, and nothing changes any more.
  for (const _ of [1, 2, 3]) await whole()
  await checkFleet(fleet, SERVERS)
  const times: { ours: number[]; plain: number[] } = { ours: [], plain: [] }
  const [plain, few] = [new Plain(agent, WHOLE), new Plain(agent, CALLS)]
  await plain.all(ids)
  await few.all(ids)
  for (let turn = 0; turn < TRIES; turn++) {
    times.plain.push(await timed(() => plain.all(ids)))
    times.ours.push(await timed(whole))
  }
  console.log(`plain requests for the call of a sync: ${await timed(() => few.all(ids))} ms`)
  const once = () => minute(fleet)
  // Health and numbers are read once.
  for (const _ of [1, 2]) await once()
  const minutes: number[] = []
  for (let turn = 0; turn < TRIES; turn++) minutes.push(await ownProcessorTime(once))
  await checkFleet(fleet, SERVERS)
  const met = [
    report({
      ...{ name: `whole sync of ${SERVERS} servers`, unit: 'ms', at_most: WHOLE_GOAL },
      ...{ ours: median(times.ours), against: median(times.plain) },
    }),
    report({
      ...{ name: 'processor time of a server and minute without a change', unit: 'ms' },
      ...{ ours: median(minutes) / SERVERS, at_most: MINUTE_GOAL_MS },
    }),
  ]
  fleet.agents.close()
  fleet.db.close()
  for (const each of [plain, few]) each.close()
  await sweep()
  if (!met.includes(false)) return
  // Fewer of them, with the preparation.
  if (SERVERS === USUAL)
    printShares('a benchmark of 200 servers', await profiledToEnd([argv[1] ?? ''], FEWER))
  throw new Error('a goal is missed')
}

type Fleet = Awaited<ReturnType<typeof fleetOf>>

/** Sends one pulse to each server; the scheduler then has nothing to do. */
async function minute(fleet: Fleet) {
  const { db } = fleet
  const at = Math.floor(Date.now() / 60_000) * 60
  const { signal } = new AbortController()
  const online = await listOnline(db)
  for (let turn = 0; turn < TURNS; turn++) {
    const readings: Parameters<typeof storeReadings>[1][number][] = []
    const mine = online.filter(({ id }) => id % TURNS === turn)
    await forEach(mine, async (server) => {
      const answer = await readPulse(fleet, server, { wait: 0, with_state: true, signal })
      await storeChanges(fleet, server, answer)
      await syncState(fleet, server, answer)
      const { metrics, synced_at } = answer
      readings.push({ server_id: server.id, at, metrics, synced_at })
    })
    await storeReadings(db, readings)
    const synced = readings.filter(({ synced_at }) => synced_at !== undefined)
    if (synced.length < mine.length) throw new Error('a server is not unchanged')
  }
}

/** The same answers over a kept connection to each server, which are read and dropped. */
class Plain {
  readonly #known: KnownAgent
  readonly #paths: readonly string[]
  readonly #agents = new Map<number, Agent>()
  /** The number of bytes in all answers of each server, by its id: the answers never change. */
  readonly #bytes = new Map<number, number>()

  constructor(known: KnownAgent, paths: readonly string[]) {
    this.#known = known
    this.#paths = paths
  }

  all(ids: readonly number[]): Promise<void> {
    return forEach(ids, async (id) => {
      let bytes = 0
      for (const path of this.#paths) bytes += await this.#get(id, path)
      if (bytes < LEAST || bytes !== (this.#bytes.get(id) ?? bytes))
        throw new Error(`server ${id} sent ${bytes} bytes`)
      this.#bytes.set(id, bytes)
    })
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
  }

  #get(id: number, path: string): Promise<number> {
    const { port, certificate: ca } = this.#known
    const agent =
      this.#agents.get(id) ??
      new Agent({ keepAlive: true, ca, checkServerIdentity: () => undefined })
    this.#agents.set(id, agent)
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    get({ host: hostnameOf(id), port, path, agent }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on('end', () => resolve(bytes))
      response.on('error', reject)
    }).on('error', reject)
    return promise
  }
}

await main().then(() => process.exit(0), fail)
