import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { readEvents } from '#shared/sse.ts'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'

export const PHP = '8.2'
export const PRODUCT = 'shop.example.test'
export const BY_HAND = 'hand.example.test'
const ROOT = join(import.meta.dirname, '../../..')
const AGENT = 'http://127.0.0.1:8443'

/** A Debian 12 server with one site of the agent, and the same WordPress beside it, set up by hand. */
export interface Bench {
  host: lab.Host
  /** Runs a program of this machine in a network beside the server's, where both names are known. */
  outside(argv: readonly string[]): Promise<string>
  close(): Promise<void>
}

export async function openBench(): Promise<Bench> {
  await lab.needPrograms({ wrk: 'wrk', curl: 'curl' })
  const { file } = await buildAgent(ROOT)
  const binds = [
    { from: dirname(file), to: '/opt/agent', readonly: true },
    { from: await wordpressMirror(), to: '/opt/mirror', readonly: true },
  ]
  const host = await lab.startHost({ name: 'speed', suite: 'bookworm', init: 'systemd', binds })
  const { netns } = await lab.switchUp()
  const names = join('/etc/netns', netns)
  const close = async () => {
    await rm(names, { recursive: true, force: true })
    await lab.switchDown()
  }
  try {
    await fill(host)
    // ip-netns(8): what is there takes the place of the file of that name below /etc.
    await mkdir(names, { recursive: true })
    await writeFile(join(names, 'hosts'), `${host.address} ${PRODUCT} ${BY_HAND}\n`)
    const outside = (argv: readonly string[]) => must(['ip', 'netns', 'exec', netns, ...argv])
    return { host, outside, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function fill(host: lab.Host): Promise<void> {
  await host.must(['apt-get', 'update', '-q'])
  await host.must(['apt-get', 'install', '-y', '-q', 'curl'])
  const agent = host.spawn(['/opt/agent/hosting-agent', 'serve'], {
    AGENT_AUTH: 'none-for-tests',
    AGENT_LISTEN: '127.0.0.1:8443',
    AGENT_WORDPRESS_URL: 'file:///opt/mirror',
    AGENT_WP_CLI_URL: 'file:///opt/mirror/wp-cli.phar',
  })
  await lab.poll(async () => (await host.exec(['curl', '-sf', `${AGENT}/health`])).code === 0)
  await exec(host, 'server.provision', { php_versions: [PHP] })
  const site = { domain: PRODUCT, php: PHP, tier: 'small', tls: 'self-signed', user: 'shop' }
  await exec(host, 'site.create', { ...site, email: 'owner@example.test' })
  // What it does once a minute is no part of the comparison.
  await agent.stop()
  await host.put('/opt/by-hand.sh', await Bun.file(join(import.meta.dirname, 'by-hand.sh')).text())
  await host.must(['sh', '/opt/by-hand.sh', PHP])
}

/** Over HTTP, as a dashboard does it; throws what the agent says when it fails. */
async function exec(host: lab.Host, command: string, params: object): Promise<void> {
  const body = JSON.stringify({ command, params })
  const type = ['-H', 'content-type: application/json']
  const text = await host.must(['curl', '-sN', ...type, '-d', body, `${AGENT}/exec`])
  const events = await Array.fromAsync(readEvents(new Blob([text]).stream()))
  if (events.at(-1)?.event !== 'complete') throw new Error(`${command}: ${text}`)
}
