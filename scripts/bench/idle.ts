import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { sql } from 'drizzle-orm'
import { type Database, openDatabase } from '#dashboard/kernel/db/client.ts'
import { Marks } from '#dashboard/kernel/db/marks.ts'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { enrolments, server_agents } from '#dashboard/kernel/db/trust-schema.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import { jsonLog } from '#dashboard/kernel/runtime/log.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { Keyring } from '#dashboard/kernel/trust/keyring.ts'
import { CODE_PURPOSE } from '#dashboard/kernel/trust/open-enrolment.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'
import { fail } from '#scripts/lib/fail.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { listening, type Running } from '#tests/support/children.ts'
import {
  dashboardFolder,
  startDashboard,
  sweep,
  temporaryFolder,
} from '#tests/support/processes.ts'
import { report } from './lib/figure.ts'
import { processorTime } from './lib/process.ts'
import { hostnameOf } from './sync/addresses.ts'
import { SECRET } from './sync/fleet.ts'

const SERVERS = Number(process.env.SERVERS ?? 100)
const MINUTES = Number(process.env.MINUTES ?? 10)
const MINUTE_MS = 60_000
/** The first contacts, and the time in which new codes are expected to be used. */
const SETTLED_MS = 2.5 * MINUTE_MS
const GOALS = { percent: 0.2, ms: 2 }
/** Nothing listens on the port of tcpmux. */
const NOBODY = 1
const QUEUED_MS = 500

/** A kind says why a server causes no work: by its records, and by what answers. */
interface Kind {
  name: string
  status: 'pending' | 'offline' | 'online'
  /** Whether a code is valid, or the agent is enrolled; neither of a plain one. */
  trust: 'code' | 'enrolled' | 'none'
  port: number
  /** What its records must be after each minute. */
  holds: string
}

/**
 * Measures dashboards without servers, and with servers of one kind that cause no work each, in
 * minutes in which nothing happens. Exits with status 1 if a goal is missed or the records are
 * wrong.
 */
async function main(): Promise<void> {
  const agents = await startAgents()
  const kinds = await kindsOf(agents)
  const certified = JSON.parse(await readFile(agents.known, 'utf8'))
  const bare = await started()
  const dashboards = []
  for (const kind of kinds)
    dashboards.push({
      kind,
      ...(await started((folder) => fillIdle(folder, kind, SERVERS, certified))),
    })
  await Bun.sleep(SETTLED_MS)
  const all = [bare, ...dashboards]
  const before = await Promise.all(all.map(({ dashboard }) => processorTime(dashboard.pid)))
  const began = performance.now()
  for (let minute = 0; minute < MINUTES; minute++) {
    await Bun.sleep(MINUTE_MS)
    for (const { kind, db } of dashboards) await check(kind, db)
  }
  const minutes = (performance.now() - began) / MINUTE_MS
  const after = await Promise.all(all.map(({ dashboard }) => processorTime(dashboard.pid)))
  const [own = 0, ...used] = after.map((each, place) => (each - (before[place] ?? 0)) / minutes)
  const met = [
    report({
      ...{ name: 'dashboard without servers', unit: '% of a core' },
      ...{ ours: (100 * own) / MINUTE_MS, at_most: GOALS.percent },
    }),
    ...kinds.map(({ name }, place) =>
      report({
        ...{ name: `minute of a server, ${name}`, unit: 'ms', at_most: GOALS.ms },
        ours: Math.max(0, (used[place] ?? 0) - own) / SERVERS,
      }),
    ),
  ]
  await sweep()
  if (met.includes(false)) throw new Error('a goal is missed')
}

async function kindsOf({ ports }: Agents): Promise<Kind[]> {
  const isPending = "status = 'pending' and last_sync is null"
  const isOffline = "status = 'offline'"
  return [
    {
      ...{ name: 'pending, no code', status: 'pending', trust: 'none', port: NOBODY },
      holds: isPending,
    },
    {
      ...{ name: 'pending, no agent yet', status: 'pending', trust: 'code', port: NOBODY },
      holds: `${isPending} and (select last_error from enrolments where server_id = servers.id) like '%refused the connection'`,
    },
    {
      ...{ name: 'pending, agent without its code', status: 'pending', trust: 'code' },
      port: ports.waiting,
      holds: `${isPending} and (select last_error from enrolments where server_id = servers.id) = 'The agent runs and waits for its code'`,
    },
    {
      ...{ name: 'offline, refuses connections', status: 'offline', trust: 'enrolled' },
      ...{ port: NOBODY, holds: `${isOffline} and last_error like '%refused the connection'` },
    },
    {
      ...{ name: 'offline, drops packets', status: 'offline', trust: 'enrolled' },
      port: ports.deaf,
      holds: `${isOffline} and last_error like '%did not answer in time'`,
    },
    {
      ...{ name: 'offline, accepts connections only', status: 'offline', trust: 'enrolled' },
      port: ports.silent,
      holds: `${isOffline} and last_error like '%did not answer in time'`,
    },
    {
      ...{ name: 'agent without extensions', status: 'pending', trust: 'none', port: ports.plain },
      holds: `status = 'online' and unixepoch() - unixepoch(last_sync) < 130
        and (select count(*) from sites where server_id = servers.id and status = 'active') = 20`,
    },
  ]
}

type Agents = Awaited<ReturnType<typeof startAgents>>

async function startAgents() {
  const known = `${await temporaryFolder('idle')}/agent.json`
  const program = new URL('./idle/agents.ts', import.meta.url).pathname
  const run = async (kind: string) =>
    listening([process.execPath, program, kind, known], { env: {} })
  const [waiting, silent, deaf, plain] = [
    await run('waiting'),
    await run('silent'),
    await run('silent'),
    await run('plain'),
  ]
  await deafen(deaf)
  return {
    known,
    ports: { waiting: waiting.port, silent: silent.port, deaf: deaf.port, plain: plain.port },
  }
}

/** A stopped program accepts no connection: the kernel drops the packets of new ones when its queue is full. */
async function deafen({ pid, port }: Running): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  while (await isQueued(port));
}

function isQueued(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1')
  socket.setTimeout(QUEUED_MS, () => resolve(false))
  socket.on('error', () => resolve(false))
  socket.on('connect', () => resolve(true))
  return promise.finally(() => socket.destroy())
}

async function started(fill: (folder: string) => Promise<void> = async () => undefined) {
  const folder = await dashboardFolder()
  await Bun.write(`${folder}/seal-secret`, `${SECRET}\n`)
  await fill(folder)
  const dashboard = await startDashboard(folder)
  return { dashboard, db: await openDatabase(`file:${folder}/dashboard.db`) }
}

async function check({ name, holds }: Kind, db: Database): Promise<void> {
  const wrong = await db.read.get<{ count: number; last_error: string }>(
    sql`select count(*) as count, max(last_error) as last_error from servers where not (${sql.raw(holds)})`,
  )
  if (wrong?.count !== 0)
    throw new Error(`${name}: the records are wrong: ${JSON.stringify(wrong)}`)
}

interface Certified {
  certificate: string
  public_key: string
}

/** A benchmark may take longer than a code is valid. */
const CODE_MS = 3600_000

/** Writes so many servers of one kind to the records in a folder. */
async function fillIdle(
  folder: string,
  { status, trust, port }: Kind,
  count: number,
  { certificate, public_key }: Certified,
): Promise<void> {
  const db: Database = await openDatabase(`file:${join(folder, 'dashboard.db')}`)
  const sealer = makeSealer(SECRET, secureRandom)
  const marks = new Marks(
    SECRET,
    jsonLog((line) => process.stderr.write(line), realClock.now),
  )
  const { kid } = await new Keyring({
    ...{ db, clock: realClock, random: secureRandom, sealer },
  }).current()
  const at = new Date().toISOString()
  const expires_at = new Date(Date.now() + CODE_MS).toISOString()
  const ids = Array.from({ length: count }, (_, number) => number + 1)
  const failures = status === 'offline' ? 3 : 0
  await db.write((queries) =>
    queries.insert(servers).values(
      ids.map((id) => ({
        ...{ id, name: `server-${id}`, hostname: hostnameOf(id), port, user: 'root', tags: [] },
        ...{ status, failures, created_at: at },
      })),
    ),
  )
  if (trust === 'code')
    await db.write((queries) =>
      queries.insert(enrolments).values(
        ids.map((server_id) => ({
          ...{ server_id, expires_at, kid },
          code_key_sealed: sealer.seal(CODE_PURPOSE, new Secret('A'.repeat(43))),
        })),
      ),
    )
  if (trust === 'enrolled')
    await db.write((queries) =>
      queries.insert(server_agents).values(
        ids.map((server_id) => {
          const row = { server_id, certificate, public_key, enrolled_at: at, kid }
          return { ...row, mark: marks.of('server_agents', row) }
        }),
      ),
    )
  db.close()
}

await main().then(() => process.exit(0), fail)
