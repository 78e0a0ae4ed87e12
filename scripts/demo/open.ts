import { logError } from '#agent/log.ts'
import { readConfig } from '#dashboard/config.ts'
import type { Deps } from '#dashboard/deps.ts'
import { type Started, start } from '#dashboard/start.ts'
import { pinAgent } from '#dashboard/trust/queries.ts'
import { buildsFor } from './builds.ts'
import { Fleet, type Member } from './fleet/fleet.ts'
import { makeFleet } from './fleet/make-fleet.ts'
import { live } from './life.ts'
import { Turns } from './machine/turns.ts'
import type { Options } from './options.ts'
import { fillRecords } from './seed/fill.ts'
import { trusted } from './seed/trust.ts'

/** The first account. */
export const EMAIL = 'demo@example.com'
/** A Tuesday morning. */
const STEADY_TIME = Date.UTC(2026, 5, 2, 10, 20)

export interface OpenDemo extends Started {
  /** Offline servers come back; when there are none, they go offline again. */
  toggle(): Promise<void>
}

/** The dashboard on loopback with its records in `folder`, and its fleet. */
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

/** As if the command had been run: the code is used, and the first contact follows. */
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
