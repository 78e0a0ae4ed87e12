import type { Acme } from '#tests/support/acme/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import type { Dashboard } from './dashboard.ts'

const PROGRAM = '/usr/local/bin/hosting-agent'
export const CA = '/etc/hosting-agent/acme-ca.pem'

/** Installs an agent as its administrator does, and enrols it. Returns the id of the server. */
export async function joinServer(
  host: lab.Host,
  { dashboard, acme, program }: { dashboard: Dashboard; acme: Acme; program: Uint8Array },
): Promise<number> {
  await host.put(PROGRAM, program, 0o755)
  await host.put('/etc/hosting-agent/agent.env', settings(acme), 0o600)
  await host.put(CA, acme.ca_pem)
  await host.must([PROGRAM, 'install'])
  const { body } = await dashboard.call('POST', '/api/servers', { hostname: host.address })
  const server = (body.server as { id: number }).id
  await enrol(host, dashboard, server)
  return server
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
  await lab.poll(async () => {
    const found = await dashboard.call('GET', `/api/fleet/servers/${server}`)
    return (found.body.server as { status: string }).status === 'online'
  })
}
