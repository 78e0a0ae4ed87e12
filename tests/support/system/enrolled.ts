import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { type Acme, startAcme } from '#tests/support/acme/index.ts'
import type { Image } from '#tests/support/lab/host.ts'
import * as lab from '#tests/support/lab/index.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'

const PROGRAM = '/usr/local/bin/hosting-agent'
const CA = '/etc/hosting-agent/acme-ca.pem'

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
 * the installation.
 */
export async function startEnrolled(
  suite: 'bookworm' | 'trixie',
  image?: Image,
  program?: Uint8Array,
  prepare: (host: lab.Host) => Promise<void> = async () => undefined,
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
  await host.put(PROGRAM, built, 0o755)
  await host.put('/etc/hosting-agent/agent.env', settings(acme), 0o600)
  await host.put(CA, acme.ca_pem)
  await host.must([PROGRAM, 'install'])
  const data_dir = mkdtempSync(join(tmpdir(), 'enrolled-'))
  const env = { NODE_ENV: 'production', PRIVATE_ADDRESSES: 'allow', DATA_DIR: data_dir }
  let dashboard = await startDashboard(netns, { address, env })
  const { body } = await dashboard.call('POST', '/api/servers', { hostname: host.address })
  const server = (body.server as { id: number }).id
  await enrol(host, dashboard, server)
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

const settings = ({ directory_url }: Acme) => `AGENT_LISTEN=[::]:8443
AGENT_WORDPRESS_URL=file:///srv/mirror
AGENT_WP_CLI_URL=file:///srv/mirror/wp-cli.phar
AGENT_ACME_DIRECTORY=${directory_url}
AGENT_ACME_CA_FILE=${CA}
`

/** The end of the pasted line; the part before it is done. */
async function enrol(host: lab.Host, dashboard: Dashboard, server: number): Promise<void> {
  const { body } = await dashboard.call('POST', `/api/servers/${server}/enrolment`)
  const { code, lines } = body.enrolment as { code: string; lines: { line: string }[] }
  const args = /hosting-agent (enrol .*)$/.exec(lines[0]?.line ?? '')?.[1]?.split(' ') ?? []
  const input = `${code}\n`
  const { code: ended, stderr } = await host.exec([PROGRAM, ...args], {
    input,
    timeout_ms: 180_000,
  })
  if (ended !== 0) throw new Error(`not enrolled: ${stderr}`)
  const online = await lab.poll(
    async () => {
      const found = await dashboard.call('GET', `/api/fleet/servers/${server}`)
      return (found.body.server as { status: string }).status === 'online'
    },
    { timeout_ms: 180_000 },
  )
  if (!online) throw new Error('the server did not come online')
}
