import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { type Acme, startAcme } from '#tests/support/acme/index.ts'
import type { Image } from '#tests/support/lab/host.ts'
import * as lab from '#tests/support/lab/index.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { joinServer } from './join-server.ts'

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

/**
 * Bare Debian or `image`; the agent of this tree or `program`. `prepare` changes the server before
 * the installation. `more`: of the environment of the dashboard.
 */
export async function startEnrolled(
  suite: 'bookworm' | 'trixie',
  image?: Image,
  program?: Uint8Array,
  prepare: (host: lab.Host) => Promise<void> = async () => undefined,
  more: Record<string, string> = {},
): Promise<Enrolled> {
  const { file } = await buildAgent('.')
  const built = program ?? (await Bun.file(file).bytes())
  const { netns, address } = await lab.switchUp()
  const acme = await startAcme()
  const host = await lab.startHost({
    name: `sandbox-${suite}`,
    suite,
    init: 'systemd',
    ...(image ? { image } : {}),
    binds: [{ from: await wordpressMirror(), to: '/srv/mirror', readonly: true }],
  })
  await prepare(host)
  const data_dir = mkdtempSync(join(tmpdir(), 'enrolled-'))
  const env = { NODE_ENV: 'production', PRIVATE_ADDRESSES: 'allow', DATA_DIR: data_dir, ...more }
  let dashboard = await startDashboard(netns, { address, env })
  const server = await joinServer(host, { dashboard, acme, program: built })
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
