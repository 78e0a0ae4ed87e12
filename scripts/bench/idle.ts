import { connect } from 'node:net'
import { sql } from 'drizzle-orm'
import type { Deps } from '#dashboard/deps.ts'
import { enrolments } from '#dashboard/kernel/db/trust-schema.ts'
import { CODE_PURPOSE } from '#dashboard/kernel/trust/open-enrolment.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { startDashboard, sweep } from '#tests/support/processes.ts'
import { benchmark, report } from './lib/benchmark.ts'
import { type Agents, addServers, fleetFolder, idsTo, startAgents } from './lib/fleet.ts'
import { processorTime } from './lib/measure.ts'

const SERVERS = Number(process.env.SERVERS ?? 100)
const MINUTES = Number(process.env.MINUTES ?? 10)
const MINUTE_MS = 60_000
/** The first contacts, and the time in which new codes are expected to be used. */
const SETTLED_MS = 2.5 * MINUTE_MS
/** Nothing listens on the port of tcpmux. */
const NOBODY = 1
const QUEUED_MS = 500
/** A benchmark may take longer than a code is valid. */
const CODE_MS = 3600_000

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
 * minutes in which nothing happens. Fails if the records are wrong.
 */
async function main(): Promise<void> {
  const { kinds, known } = await startKinds()
  const bare = await started(async () => undefined)
  const dashboards = []
  for (const kind of kinds)
    dashboards.push({ kind, ...(await started((deps) => fill(deps, kind, known))) })
  await Bun.sleep(SETTLED_MS)
  const pids = [bare, ...dashboards].map(({ pid }) => pid)
  const before = await Promise.all(pids.map(processorTime))
  const began = performance.now()
  for (let minute = 0; minute < MINUTES; minute++) {
    await Bun.sleep(MINUTE_MS)
    for (const { kind, deps } of dashboards) await check(kind, deps)
  }
  const minutes = (performance.now() - began) / MINUTE_MS
  const after = await Promise.all(pids.map(processorTime))
  const [own = 0, ...used] = after.map((each, place) => (each - (before[place] ?? 0)) / minutes)
  report('dashboard without servers', (100 * own) / MINUTE_MS, '% of a core', { at_most: 0.2 })
  for (const [place, { name }] of kinds.entries()) {
    const each = Math.max(0, (used[place] ?? 0) - own) / SERVERS
    report(`minute of a server, ${name}`, each, 'ms', { at_most: 2 })
  }
}

/** Starts the agents of all kinds. `known` is what a dashboard knows of an enrolled one. */
async function startKinds(): Promise<{ kinds: Kind[]; known: Agents }> {
  const known = await startAgents('waiting')
  const silent = await startAgents('silent')
  const deaf = await startAgents('silent')
  const plain = await startAgents('plain')
  await deafen(deaf)
  const isPending = "status = 'pending' and last_sync is null"
  const error = '(select last_error from enrolments where server_id = servers.id)'
  const failed = (why: string) => `status = 'offline' and last_error like '%${why}'`
  const kind = (name: string, status: Kind['status'], trust: Kind['trust']) => ({
    name,
    status,
    trust,
  })
  const kinds = [
    { ...kind('pending, no code', 'pending', 'none'), port: NOBODY, holds: isPending },
    {
      ...kind('pending, no agent yet', 'pending', 'code'),
      port: NOBODY,
      holds: `${isPending} and ${error} like '%refused the connection'`,
    },
    {
      ...kind('pending, agent without its code', 'pending', 'code'),
      port: known.port,
      holds: `${isPending} and ${error} = 'The agent runs and waits for its code'`,
    },
    {
      ...kind('offline, refuses connections', 'offline', 'enrolled'),
      port: NOBODY,
      holds: failed('refused the connection'),
    },
    {
      ...kind('offline, drops packets', 'offline', 'enrolled'),
      port: deaf.port,
      holds: failed('did not answer in time'),
    },
    {
      ...kind('offline, accepts connections only', 'offline', 'enrolled'),
      port: silent.port,
      holds: failed('did not answer in time'),
    },
    {
      ...kind('agent without extensions', 'pending', 'none'),
      port: plain.port,
      holds: `status = 'online' and unixepoch() - unixepoch(last_sync) < 130
        and (select count(*) from sites where server_id = servers.id and status = 'active') = 20`,
    },
  ]
  return { kinds, known }
}

/** A stopped program accepts no connection: the kernel drops the packets of new ones when its queue is full. */
async function deafen({ pid, port }: Agents): Promise<void> {
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

async function started(fill: (deps: Deps) => Promise<void>) {
  const { folder, deps } = await fleetFolder()
  await fill(deps)
  const { pid } = await startDashboard(folder)
  return { pid, deps }
}

async function check({ name, holds }: Kind, { db }: Deps): Promise<void> {
  const wrong = await db.read.get<{ count: number; last_error: string }>(
    sql`select count(*) as count, max(last_error) as last_error from servers where not (${sql.raw(holds)})`,
  )
  if (wrong?.count !== 0)
    throw new Error(`${name}: the records are wrong: ${JSON.stringify(wrong)}`)
}

/** Records the servers of one kind. */
async function fill(deps: Deps, { status, trust, port }: Kind, known: Agents): Promise<void> {
  const server = { port, status, failures: status === 'offline' ? 3 : 0 }
  await addServers(deps, SERVERS, server, trust === 'enrolled' ? known : undefined)
  if (trust !== 'code') return
  const { kid } = await deps.keys.current()
  const expires_at = new Date(Date.now() + CODE_MS).toISOString()
  const rows = idsTo(SERVERS).map((server_id) => ({
    server_id,
    expires_at,
    kid,
    code_key_sealed: deps.sealer.seal(CODE_PURPOSE, new Secret('A'.repeat(43))),
  }))
  await deps.db.write((queries) => queries.insert(enrolments).values(rows))
}

await benchmark(main, sweep)
