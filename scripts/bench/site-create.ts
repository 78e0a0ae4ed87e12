import { join } from 'node:path'
import * as lab from '#tests/support/lab/index.ts'
import { benchmark, report } from './lib/benchmark.ts'
import { alternating, least, timed } from './lib/measure.ts'
import { PHP, siteOf, startServer } from './lib/server.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)

/**
 * Creates WordPress sites on one Debian 12 server, alternating between the agent's site.create and
 * a plain script with the same programs, which keeps WordPress from requesting its own address like
 * the agent (5 seconds and more without DNS). Needs the lab (root, systemd-nspawn), and curl.
 */
async function main(): Promise<void> {
  const { host, exec } = await startServer('bench')
  await host.must(['apt-get', 'update', '-q'])
  await host.must(['apt-get', 'install', '-y', '-q', 'curl'])
  await exec('site.create', siteOf('first'))
  const script = await Bun.file(join(import.meta.dirname, 'site-create/plain.sh')).text()
  await host.put('/opt/plain.sh', script)
  const folder = '/var/lib/hosting-agent/cache/wordpress'
  const [version] = (await host.must(['ls', folder])).split('\n').filter((one) => /^\d/.test(one))
  const files = [`${folder}/${version}`, '/usr/local/lib/hosting/wp-cli.phar']
  // Copying files is half of the time: other disk activity slows single rounds by a multiple.
  let round = 0
  const times = await alternating(ROUNDS, least, {
    plain: () => {
      const name = `plain${round}`
      return timed(() => host.must(['sh', '/opt/plain.sh', `${name}.test`, name, PHP, ...files]))
    },
    agent: () => timed(() => exec('site.create', siteOf(`agent${round++}`))),
  })
  report('site.create', times.agent, 'ms', { against: times.plain, at_most: 1.1 })
}

await benchmark(main, lab.switchDown)
