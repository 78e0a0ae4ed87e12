import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Dice } from '#agent/kernel/host/simulated/dice.ts'
import { logError } from '#agent/kernel/log.ts'
import { readConfig } from '#dashboard/config.ts'
import type { Deps } from '#dashboard/deps.ts'
import { type KnownSite, listSiteRows } from '#dashboard/features/servers/sync/queries.ts'
import { listBuilds } from '#dashboard/kernel/agents/builds.ts'
import { getServer, listServerIds } from '#dashboard/kernel/db/targets.ts'
import { enqueue } from '#dashboard/kernel/engine/enqueue.ts'
import { pinAgent } from '#dashboard/kernel/trust/queries.ts'
import { type StartedDashboard, start } from '#dashboard/start.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { buildName, MACHINES } from '#shared/kernel/machines.ts'
import { Fleet, type Member } from './fleet/fleet.ts'
import { makeFleet } from './fleet/make-fleet.ts'
import { Turns } from './machine/host.ts'
import type { Options } from './options.ts'
import { fillRecords } from './seed/fill.ts'
import { trusted } from './seed/servers.ts'

/** The first account. */
export const EMAIL = 'demo@example.com'
/** A Tuesday morning. */
const STEADY_TIME = Date.UTC(2026, 5, 2, 10, 20)

interface OpenDemo extends StartedDashboard {
  /** Offline servers come back; when there are none, they go offline again. */
  toggle(): Promise<void>
}

/** Opens the dashboard on loopback with its records in `folder`, and its fleet. */
export async function openDemo(
  { servers, sites, port, seed, pace, steady }: Options,
  folder: string,
  { ADMIN_PASSWORD, NODE_ENV, WEB_DIR }: Record<string, string | undefined>,
): Promise<OpenDemo> {
  const fleet = await Fleet.open(makeFleet(seed, { servers, sites }), {
    turns: new Turns(),
    pace,
    time: {
      now: () => Date.now(),
      elapsed: () => performance.now(),
      loadTime: () => (steady ? STEADY_TIME : Date.now()),
    },
    report: logError,
  })
  await fleet.start()
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: folder,
    BACKUPS_KEPT: '0',
    ADMIN_EMAIL: EMAIL,
    ADMIN_PASSWORD,
    NODE_ENV,
    WEB_DIR,
    BUILDS_DIR: await buildsFor(folder),
  })
  const stops: (() => void)[] = []
  const { url, first, stop } = await start(config, {
    demo: {
      transports: fleet.transports,
      async prepare(deps) {
        await fillRecords(deps, fleet, Date.now())
        fleet.onOnline = (server_id, member) => enrol(deps, server_id, member)
        if (!steady) stops.push(live(deps, fleet))
      },
      log: (line) => line.includes('"level":"error"') && process.stderr.write(line),
    },
  })
  return {
    url,
    first,
    toggle: () => fleet.toggle(),
    async stop() {
      for (const end of stops) end()
      await stop()
      await fleet.stop()
    },
  }
}

/** Enrols a server, as if the command had been run on it: the code is used, and the first contact follows. */
async function enrol(
  { db, marks, scheduler }: Deps,
  server_id: number,
  member: Member,
): Promise<void> {
  const agent = await trusted({ db, marks }, member, server_id, Date.now())
  const { enrolled_at: created_at } = agent
  const entry = { type: 'server.enrol', domain: member.plan.hostname, server_id, created_at }
  await pinAgent({ db, marks }, agent, { ...entry, status: 'success' })
  scheduler.add(server_id)
}

const PLACEHOLDER = `#!/bin/sh
echo 'This is the demo of Hosting Control: it contains no agent to install.' >&2
exit 1
`

/**
 * Returns the agent builds that the demo's dashboard offers: those of the checkout, or
 * placeholders, so that adding a server shows the same as elsewhere. Nobody can run the command
 * here.
 */
async function buildsFor(folder: string): Promise<string | undefined> {
  if ((await listBuilds()).length > 0) return undefined
  const builds = join(folder, 'builds')
  await mkdir(builds, { recursive: true })
  for (const machine of [...MACHINES, ''])
    await writeFile(join(builds, buildName(machine, '')), PLACEHOLDER)
  return builds
}

/** The minimum and maximum time between events. */
const PAUSE_MS = [15_000, 60_000] as const
/** How long an unstable server is offline, and then online. */
const TURN_MS = [4 * 60_000, 10 * 60_000] as const
const MAX_TRIES = 5

type Work = (site: KnownSite) => Pick<Parameters<typeof enqueue>[1], 'type' | 'params'>

const scan: Work = ({ domain }) => ({ type: 'site.scan', params: { domain } })
const purge: Work = ({ domain }) => ({ type: 'cache.purge', params: { domain } })
const resize: Work = ({ user, php, tier }) => ({
  type: 'pool.apply',
  params: { user, php_version: php, tier },
})

/** Makes events while somebody watches: operations, and servers that go offline and online. */
function live(deps: Deps, fleet: Fleet): () => void {
  const dice = new Dice(`${fleet.plan.seed} life`)
  const stopped = new AbortController()
  const pause = (ms: number) => deps.clock.sleep(ms, stopped.signal)
  const repeat = async (turn: () => Promise<void>) => {
    while (!stopped.signal.aborted)
      await turn().catch((error: unknown) => {
        if (!(error instanceof ServiceError)) deps.log.error('an event of the demo failed', error)
      })
  }
  void repeat(async () => {
    await pause(dice.between(...PAUSE_MS))
    if (!stopped.signal.aborted) await startOperation(deps, dice)
  })
  void repeat(async () => {
    for (const ms of TURN_MS) {
      await pause(ms)
      if (!stopped.signal.aborted) await fleet.toggle('flaky')
    }
  })
  return () => stopped.abort()
}

/** Starts an operation on a site without problems. */
async function startOperation(deps: Deps, dice: Dice): Promise<void> {
  const ids = await listServerIds(deps.db)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const server = await getServer(deps.db, ids[dice.below(ids.length)] ?? 0)
    const sites = await listSiteRows(deps.db, server.id)
    const site = sites[dice.below(sites.length)]
    if (server.status !== 'online' || site?.status !== 'active' || !site.managed) continue
    const work = dice.pick([scan, scan, purge, resize])(site)
    await enqueue(deps, { ...work, server, site, actor: null, wait_for_agent: false })
    return
  }
}
