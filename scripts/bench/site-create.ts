import { join } from 'node:path'
import { fail } from '#scripts/lib/fail.ts'
import * as lab from '#tests/support/lab/index.ts'
import { exec, startAgent, startServer } from './site-speed/agent.ts'

const PROMISED = 1.25
const ROUNDS = 5

/**
 * Creates WordPress sites on one Debian 12 server, alternating between the agent's site.create and
 * a plain script with the same programs, which keeps WordPress from requesting its own address like
 * the agent (5 seconds and more without DNS). Exits with status 1 if the agent takes more than 1.25
 * times as long. Needs the lab (root, systemd-nspawn), and curl.
 */
async function bench(host: lab.Host): Promise<boolean> {
  const agent = await startAgent(host)
  try {
    await exec(host, 'server.provision', {})
    await exec(host, 'site.create', siteOf('first'))
    const times = await measure(host)
    console.log(`plain    ${times.plain.toFixed(0)} ms for a site (fastest of ${ROUNDS})`)
    console.log(`agent    ${times.agent.toFixed(0)} ms for a site (fastest of ${ROUNDS})`)
    console.log(`ratio    ${(times.agent / times.plain).toFixed(2)} (promised: ${PROMISED})`)
    return times.agent <= times.plain * PROMISED
  } finally {
    await agent.stop()
  }
}

async function measure(host: lab.Host): Promise<{ plain: number; agent: number }> {
  const script = await Bun.file(join(import.meta.dirname, 'site-create/plain.sh')).text()
  await host.put('/opt/plain.sh', script)
  const folder = '/var/lib/hosting-agent/cache/wordpress'
  const [version] = (await host.must(['ls', folder])).split('\n').filter((one) => /^\d/.test(one))
  const files = [`${folder}/${version}`, '/usr/local/lib/hosting/wp-cli.phar']
  // Copying files is half of the time: other disk activity slows single rounds by a multiple.
  const plain: number[] = []
  const agent: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const name = `plain${round}`
    const argv = ['sh', '/opt/plain.sh', `${name}.test`, name, '8.2', ...files]
    plain.push(await timed(() => host.must(argv)))
    agent.push(await timed(() => exec(host, 'site.create', siteOf(`agent${round}`))))
  }
  return { plain: Math.min(...plain), agent: Math.min(...agent) }
}

const siteOf = (user: string) => ({
  domain: `${user}.test`,
  php: '8.2',
  tls: 'none',
  email: 'owner@agent.test',
  user,
})

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function main(): Promise<void> {
  const host = await startServer('bench')
  try {
    if (!(await bench(host)))
      throw new Error(`site.create takes more than ${PROMISED} times as long`)
  } finally {
    await lab.switchDown()
  }
}

await main().then(() => process.exit(0), fail)
