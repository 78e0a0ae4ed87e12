import { dirname, join } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { readEvents } from '#shared/kernel/sse.ts'
import * as lab from '#tests/support/lab/index.ts'

const ROOT = join(import.meta.dirname, '../../..')
const AGENT = 'http://127.0.0.1:8443'

/** Starts a Debian 12 server with the executable of the agent and a mirror of WordPress. */
export async function startServer(name: string): Promise<lab.Host> {
  const { file } = await buildAgent(ROOT)
  const binds = [
    { from: dirname(file), to: '/opt/agent', readonly: true },
    { from: await wordpressMirror(), to: '/opt/mirror', readonly: true },
  ]
  return lab.startHost({ name, suite: 'bookworm', init: 'systemd', binds })
}

/** Returns the agent once it answers. */
export async function startAgent(host: lab.Host) {
  await host.must(['apt-get', 'update', '-q'])
  await host.must(['apt-get', 'install', '-y', '-q', 'curl'])
  const agent = host.spawn(['/opt/agent/hosting-agent', 'serve'], {
    AGENT_AUTH: 'none-for-tests',
    AGENT_LISTEN: '127.0.0.1:8443',
    AGENT_WORDPRESS_URL: 'file:///opt/mirror',
    AGENT_WP_CLI_URL: 'file:///opt/mirror/wp-cli.phar',
  })
  await lab.poll(async () => (await host.exec(['curl', '-sf', `${AGENT}/health`])).code === 0)
  return agent
}

/** Over HTTP, as a dashboard does it; throws the message of the agent when it fails. */
export async function exec(host: lab.Host, command: string, params: object): Promise<void> {
  const body = JSON.stringify({ command, params })
  const type = ['-H', 'content-type: application/json']
  const text = await host.must(['curl', '-sN', ...type, '-d', body, `${AGENT}/exec`])
  const events = await Array.fromAsync(readEvents(new Blob([text]).stream()))
  if (events.at(-1)?.event !== 'complete') throw new Error(`${command}: ${text}`)
}
