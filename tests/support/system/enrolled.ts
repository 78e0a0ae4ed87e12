import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { type Acme, startAcme } from '#tests/support/acme/index.ts'
import type { Image } from '#tests/support/lab/disk.ts'
import * as lab from '#tests/support/lab/index.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { CA, joinServer } from './join-server.ts'
import { answers } from './machine.ts'
import { ADDRESS, enrolled, type Prepared } from './prepared.ts'
import type { Site } from './world.ts'

/** A server with an installed agent, in its sandbox, that accepts only this dashboard. */
export interface Enrolled {
  host: lab.Host
  readonly dashboard: Dashboard
  /** The dashboard's; outlives it. */
  data_dir: string
  acme: Acme
  server: number
  /** An API path below the server. */
  path(below: string): string
  /** Kills the dashboard, and starts it again with the same records. */
  restartDashboard(): Promise<void>
  stop(): Promise<void>
}

/** Further variables of the environment of the dashboard. */
type Environment = Record<string, string>

/**
 * A provisioned server, as `installEnrolled` and `server.provision` make it: it starts from a
 * prepared world, for tests that are not about the installation.
 */
export async function startEnrolled(suite: Suite, env: Environment = {}): Promise<Enrolled> {
  return restoreEnrolled(suite, await enrolled(suite, { site: false }), env)
}

/** The same with the site `shopOf(suite)`. */
export async function startWithShop(
  suite: Suite,
  env: Environment = {},
): Promise<{ world: Enrolled; shop: Site }> {
  const world = await restoreEnrolled(suite, await enrolled(suite, { site: true }), env)
  const { body } = await world.dashboard.call('GET', world.path('/sites'))
  const [{ id } = { id: 0 }] = body.sites as Site[]
  const { body: found } = await world.dashboard.call('GET', world.path(`/sites/${id}`))
  return { world, shop: found.site as Site }
}

interface Installation {
  /** Default: bare Debian. */
  image?: Image
  /** Default: the agent of this tree. */
  program?: Uint8Array
  /** Changes the server before the installation. */
  prepare?: (host: lab.Host) => Promise<void>
  /** True if the server becomes a prepared world, which later tests restore. */
  prepared?: boolean
}

/** Installs the agent on a new server and enrols it in a new dashboard. */
export async function installEnrolled(
  suite: Suite,
  { image, program, prepare, prepared = false }: Installation = {},
): Promise<Enrolled> {
  const { file } = await buildAgent('.')
  const built = program ?? (await Bun.file(file).bytes())
  const { acme, host } = await startServer(suite, image, prepared ? ADDRESS : undefined)
  await prepare?.(host)
  const data_dir = mkdtempSync(join(tmpdir(), 'enrolled-'))
  return manage({ acme, host, data_dir, env: {} }, (dashboard) =>
    joinServer(host, { dashboard, acme, program: built }),
  )
}

/** The server and the dashboard of a prepared world, with another authority for certificates. */
export async function restoreEnrolled(
  suite: Suite,
  { image, records }: Prepared,
  env: Environment = {},
): Promise<Enrolled> {
  const { acme, host } = await startServer(suite, image, ADDRESS)
  await host.put(CA, acme.ca_pem)
  const data_dir = mkdtempSync(join(tmpdir(), 'enrolled-'))
  cpSync(records, data_dir, { recursive: true, preserveTimestamps: true })
  await lab.poll(() => answers(host), { every_ms: 50 })
  return manage({ acme, host, data_dir, env }, async (dashboard) => {
    const { body } = await dashboard.call('GET', '/api/servers')
    const [{ id } = { id: 0 }] = body.servers as { id: number }[]
    return id
  })
}

async function startServer(suite: Suite, image?: Image, address?: string) {
  const acme = await startAcme()
  const host = await lab.startHost({
    name: `sandbox-${suite}`,
    suite,
    init: 'systemd',
    ...(image && { image }),
    ...(address !== undefined && { address }),
    binds: [{ from: await wordpressMirror(), to: '/srv/mirror', readonly: true }],
  })
  return { acme, host }
}

/** Starts the dashboard; `join` returns the number of the server in its records. */
async function manage(
  {
    acme,
    host,
    data_dir,
    env: more,
  }: Pick<Enrolled, 'acme' | 'host' | 'data_dir'> & { env: Environment },
  join: (dashboard: Dashboard) => Promise<number>,
): Promise<Enrolled> {
  const { netns, address } = await lab.switchUp()
  const env = { NODE_ENV: 'production', PRIVATE_ADDRESSES: 'allow', DATA_DIR: data_dir, ...more }
  let dashboard = await startDashboard(netns, { address, env })
  const server = await join(dashboard)
  return {
    host,
    get dashboard() {
      return dashboard
    },
    data_dir,
    acme,
    server,
    path: (below) => `/api/servers/${server}${below}`,
    async restartDashboard() {
      await dashboard.process.stop('SIGKILL')
      await dashboard.stop()
      dashboard = await startDashboard(netns, { address, env })
    },
    async stop() {
      await dashboard.stop()
      await acme.stop()
      await lab.switchDown()
      rmSync(data_dir, { recursive: true, force: true })
    },
  }
}
