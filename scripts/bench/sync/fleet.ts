import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { makeDeps } from '#dashboard/deps.ts'
import { type Database, openDatabase } from '#dashboard/kernel/db/client.ts'
import { Marks } from '#dashboard/kernel/db/marks.ts'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { server_agents } from '#dashboard/kernel/db/trust-schema.ts'
import { piecesOf } from '#dashboard/kernel/runtime/breathe.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'
import { jsonLog } from '#dashboard/kernel/runtime/log.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { Keyring } from '#dashboard/kernel/trust/keyring.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'
import { listening, type Running } from '#tests/support/children.ts'
import { dashboardFolder, temporaryFolder } from '#tests/support/processes.ts'
import { hostnameOf } from './addresses.ts'
import { SITES } from './answers.ts'

export const SECRET = 'benchmark'.repeat(8)

export interface KnownAgent {
  port: number
  certificate: string
  public_key: string
}

/** Starts the program that answers like every agent of a fleet. */
export async function startAgents(): Promise<{ agents: Running; agent: KnownAgent }> {
  const known = `${await temporaryFolder('agents')}/agent.json`
  const program = new URL('./agents.ts', import.meta.url).pathname
  const agents = await listening([process.execPath, program, known], { env: {} })
  return { agents, agent: { ...JSON.parse(await readFile(known, 'utf8')), port: agents.port } }
}

/** A folder of a dashboard with the records of `fleetOf`, which a dashboard can be started in. */
export async function fleetFolder(count: number, agent: KnownAgent) {
  const folder = await dashboardFolder()
  await Bun.write(`${folder}/seal-secret`, `${SECRET}\n`)
  return { folder, fleet: await fleetOf(folder, count, agent) }
}

/** Throws if a server is not synced, or if a site is not recorded. */
export async function checkFleet({ db }: { db: Database }, count: number): Promise<void> {
  const found = await db.read.get<{ servers: number; sites: number }>(sql`
    select (select count(*) from servers where status = 'online' and last_sync is not null) as servers,
      (select count(*) from sites where status = 'active') as sites`)
  if (found?.servers !== count || found.sites !== count * SITES)
    throw new Error(`the records are wrong: ${JSON.stringify(found)}`)
}

const MAX_CONCURRENT = 64

/** Does some work for each, for a limited number of them at a time. */
export async function forEach<T>(all: readonly T[], work: (one: T) => Promise<unknown>) {
  const limit = new Limit(MAX_CONCURRENT)
  await Promise.all(all.map((one) => limit.run(() => work(one))))
}

/** Returns the parts of a dashboard with this many enrolled servers, all of them at one program. */
export async function fleetOf(folder: string, count: number, agent: KnownAgent) {
  const db = await openDatabase(`file:${join(folder, 'dashboard.db')}`)
  const outside = { db, clock: realClock, random: secureRandom }
  const sealer = makeSealer(SECRET, secureRandom)
  const keys = new Keyring({ ...outside, sealer })
  const { kid } = await keys.current()
  const log = jsonLog((line) => process.stderr.write(line), realClock.now)
  const marks = new Marks(SECRET, log)
  await fill({ db, marks }, count, { ...agent, kid })
  return makeDeps({
    ...{ ...outside, keys, sealer, secret: SECRET },
    log,
    marks,
    rules: { production: false, allow_private: true },
    public_url: undefined,
  })
}

async function fill(
  { db, marks }: { db: Database; marks: Marks },
  count: number,
  { port, certificate, public_key, kid }: KnownAgent & { kid: string },
): Promise<void> {
  const at = new Date().toISOString()
  const ids = Array.from({ length: count }, (_, number) => number + 1)
  for (const some of piecesOf(ids, 500)) {
    const rows = some.map((id) => ({
      ...{ id, name: `server-${id}`, hostname: hostnameOf(id), port, user: 'root', tags: [] },
      created_at: at,
    }))
    await db.write((queries) => queries.insert(servers).values(rows))
    const trusted = some.map((server_id) => {
      const row = { server_id, certificate, public_key, enrolled_at: at, kid }
      return { ...row, mark: marks.of('server_agents', row) }
    })
    await db.write((queries) => queries.insert(server_agents).values(trusted))
  }
}
