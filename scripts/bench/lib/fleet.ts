import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { type Deps, makeDeps } from '#dashboard/deps.ts'
import { listOnline, storeReadings } from '#dashboard/features/metrics/queries.ts'
import { readPulse, storeChanges, syncState } from '#dashboard/features/servers/pulse/read-pulse.ts'
import { backgroundSync } from '#dashboard/features/servers/sync/run-sync.ts'
import { openDatabase } from '#dashboard/kernel/db/client.ts'
import { Marks } from '#dashboard/kernel/db/marks.ts'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { server_agents } from '#dashboard/kernel/db/trust-schema.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'
import { jsonLog } from '#dashboard/kernel/runtime/log.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { chunksOf } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import { Keyring } from '#dashboard/kernel/trust/keyring.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'
import { listening, type Running } from '#tests/support/children.ts'
import { SEAL_SECRET } from '#tests/support/marks.ts'
import { dashboardFolder, temporaryFolder } from '#tests/support/processes.ts'
import { hostnameOf, SITES } from './answers.ts'

/** The program that answers like many agents, and what a dashboard knows of an enrolled one. */
export interface Agents extends Running {
  certificate: string
  public_key: string
}

/** Starts agents of one kind (`agents.ts`). */
export async function startAgents(kind: string): Promise<Agents> {
  const known = `${await temporaryFolder('agents')}/agent.json`
  const program = new URL('./agents.ts', import.meta.url).pathname
  const running = await listening([process.execPath, program, kind, known], { env: {} })
  const { certificate = '', public_key = '' } = JSON.parse(
    await readFile(known, 'utf8').catch(() => '{}'),
  )
  return { ...running, certificate, public_key }
}

/** Makes a folder that a dashboard can be started in, and returns the parts of that dashboard. */
export async function fleetFolder(): Promise<{ folder: string; deps: Deps }> {
  const folder = await dashboardFolder()
  return { folder, deps: await depsIn(folder) }
}

/** Returns the parts of a dashboard with its records in a folder. */
async function depsIn(folder: string): Promise<Deps> {
  const db = await openDatabase(`file:${join(folder, 'dashboard.db')}`)
  const outside = { db, clock: realClock, random: secureRandom }
  const sealer = makeSealer(SEAL_SECRET, secureRandom)
  const log = jsonLog((line) => process.stderr.write(line), realClock.now)
  return makeDeps({
    ...outside,
    keys: new Keyring({ ...outside, sealer }),
    sealer,
    secret: SEAL_SECRET,
    log,
    marks: new Marks(SEAL_SECRET, log),
    rules: { production: false, allow_private: true },
    public_url: undefined,
  })
}

type Server = Partial<typeof servers.$inferInsert> & { port: number }

/** Records servers with addresses of their own, which `agent` is the agent of, if it is given. */
export async function addServers(
  { db, keys, marks }: Deps,
  count: number,
  server: Server,
  agent?: Pick<Agents, 'certificate' | 'public_key'>,
): Promise<void> {
  const at = new Date().toISOString()
  const { kid } = await keys.current()
  for (const some of chunksOf(idsTo(count), 500)) {
    const rows = some.map((id) => ({
      id,
      name: `server-${id}`,
      hostname: hostnameOf(id),
      user: 'root',
      tags: [],
      created_at: at,
      ...server,
    }))
    await db.write((queries) => queries.insert(servers).values(rows))
    if (!agent) continue
    const { certificate, public_key } = agent
    const trusted = some.map((server_id) => {
      const row = { server_id, certificate, public_key, enrolled_at: at, kid }
      return { ...row, mark: marks.of('server_agents', row) }
    })
    await db.write((queries) => queries.insert(server_agents).values(trusted))
  }
}

export const idsTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** Each server is recorded, then its columns are filled, and then nothing changes. */
const SYNCS = 3

/** A fleet whose servers have been synced, and no longer change. Its work runs in this process. */
export class SyncedFleet {
  readonly #deps: Deps
  readonly #count: number

  private constructor(deps: Deps, count: number) {
    this.#deps = deps
    this.#count = count
  }

  static async of(count: number, agents: Agents): Promise<SyncedFleet> {
    const deps = await depsIn(await temporaryFolder('fleet'))
    await addServers(deps, count, { port: agents.port }, agents)
    const fleet = new SyncedFleet(deps, count)
    for (let sync = 0; sync < SYNCS; sync++) await fleet.sync()
    await fleet.check()
    return fleet
  }

  /** Syncs each server as a whole. */
  sync(): Promise<void> {
    this.#deps.stored.clear()
    return forEach(idsTo(this.#count), (id) => backgroundSync(this.#deps, id))
  }

  /** Does the work of a minute in which nothing changes. Throws if a server has changed. */
  async minute(): Promise<void> {
    const { db } = this.#deps
    const at = Math.floor(Date.now() / 60_000) * 60
    const { signal } = new AbortController()
    const online = await listOnline(db)
    if (online.length !== this.#count) throw new Error('not all servers are online')
    for (const mine of Map.groupBy(online, ({ id }) => id % TURNS).values()) {
      const readings: Parameters<typeof storeReadings>[1][number][] = []
      await forEach(mine, async (server) => {
        // The agents answer at once.
        const answer = await readPulse(this.#deps, server, { wait: 0, with_state: true, signal })
        await storeChanges(this.#deps, server, answer)
        await syncState(this.#deps, server, answer)
        const { metrics, synced_at } = answer
        if (synced_at === undefined) throw new Error(`server ${server.id} has changed`)
        readings.push({ server_id: server.id, at, metrics, synced_at })
      })
      await storeReadings(db, readings)
    }
  }

  /** Throws if a server is not synced, or if a site is not recorded. */
  async check(): Promise<void> {
    const found = await this.#deps.db.read.get<{ servers: number; sites: number }>(sql`
      select (select count(*) from servers where status = 'online' and last_sync is not null) as servers,
        (select count(*) from sites where status = 'active') as sites`)
    if (found?.servers !== this.#count || found.sites !== this.#count * SITES)
      throw new Error(`the records are wrong: ${JSON.stringify(found)}`)
  }

  close(): void {
    this.#deps.agents.close()
    this.#deps.db.close()
  }
}

/** The pulses of a minute are divided into this number of turns. */
const TURNS = 50

const MAX_CONCURRENT = 64

/** Does some work for each, for a limited number of them at a time. */
export async function forEach<T>(all: readonly T[], work: (one: T) => Promise<unknown>) {
  const limit = new Limit(MAX_CONCURRENT)
  await Promise.all(all.map((one) => limit.run(() => work(one))))
}
