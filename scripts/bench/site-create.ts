import { join } from 'node:path'
import { fail } from '#scripts/lib/fail.ts'
import * as lab from '#tests/support/lab/index.ts'
import { report } from './lib/figure.ts'
import { shortest, timed } from './lib/measure.ts'
import { exec, startAgent, startServer } from './site-speed/agent.ts'

const PROMISED = 1.1
const ROUNDS = 5

/**
 * Creates WordPress sites on one Debian 12 server, alternating between the agent's site.create and
 * a plain script with the same programs, which keeps WordPress from requesting its own address like
 * the agent (5 seconds and more without DNS). Exits with status 1 if the agent takes more than 1.1
 * times as long. Needs the lab (root, systemd-nspawn), and curl.
 */
async function main(): Promise<void> {
  const host = await startServer('bench')
  const agent = await startAgent(host)
  try {
    await exec(host, 'server.provision', {})
    await exec(host, 'site.create', siteOf('first'))
    const times = await measure(host)
    console.log(`plain    ${times.plain.toFixed(0)} ms for a site (fastest of ${ROUNDS})`)
    console.log(`agent    ${times.agent.toFixed(0)} ms for a site (fastest of ${ROUNDS})`)
    console.log(`ratio    ${(times.agent / times.plain).toFixed(2)} (promised: ${PROMISED})`)
    report({
      ...{ name: 'site.create', unit: 'ms', ours: times.agent, against: times.plain },
      at_most: PROMISED,
    })
    if (times.agent > times.plain * PROMISED)
      throw new Error(`site.create takes more than ${PROMISED} times as long`)
  } finally {
    await agent.stop()
  }
}

async function measure(host: lab.Host): Promise<Record<'plain' | 'agent', number>> {
  const script = await Bun.file(join(import.meta.dirname, 'site-create/plain.sh')).text()
  await host.put('/opt/plain.sh', script)
  const folder = '/var/lib/hosting-agent/cache/wordpress'
  const [version] = (await host.must(['ls', folder])).split('\n').filter((one) => /^\d/.test(one))
  const files = [`${folder}/${version}`, '/usr/local/lib/hosting/wp-cli.phar']
  // Copying files is half of the time: other disk activity slows single rounds by a multiple.
  let round = 0
  const plain = () => {
    const name = `plain${round}`
    return host.must(['sh', '/opt/plain.sh', `${name}.test`, name, '8.2', ...files])
  }
  const agent = () => exec(host, 'site.create', siteOf(`agent${round++}`))
  return shortest(ROUNDS, { plain: () => timed(plain), agent: () => timed(agent) })
}

const siteOf = (user: string) => ({
  domain: `${user}.test`,
  php: '8.2',
  tls: 'none',
  email: 'owner@agent.test',
  user,
})

await main()
  .finally(lab.switchDown)
  .then(() => process.exit(0), fail)
