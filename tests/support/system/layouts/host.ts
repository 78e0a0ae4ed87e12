import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { FoundSites, Web } from '#shared/servers/agent.ts'
import * as lab from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { preparePackaged } from '#tests/support/lab/packaged.ts'
import type { HostOptions } from '#tests/support/lab/start-host.ts'
import { prepare, putBase } from './build.ts'
import type { Reported } from './compare.ts'

const PROGRAM = '/usr/local/bin/hosting-agent'
const MORE = ['apache2', 'libapache2-mod-php8.2', 'caddy', 'openssl']
const PACKAGES = ['nginx', 'php-fpm', 'php-cli', 'php8.2-mysql', 'mariadb-server', 'curl', 'cron']

/** A server with all web servers that Debian packages, and the agent. */
export async function startLayoutHost({ binds = [] }: Pick<HostOptions, 'binds'> = {}) {
  const { file } = await buildAgent('.')
  const image = await preparePackaged(
    'bookworm',
    [...PACKAGES, ...MORE],
    await morePackages('bookworm', MORE),
  )
  const host = await lab.startHost({
    ...{ name: 'layouts', suite: 'bookworm', init: 'systemd', image },
    binds: [{ from: await wordpressMirror(), to: '/srv/mirror', readonly: true }, ...(binds ?? [])],
  })
  await prepare(host)
  await putBase(host)
  await host.put(PROGRAM, await Bun.file(file).bytes(), 0o755)
  await serveAgent(host, [PROGRAM])
  return host
}

async function serveAgent(host: lab.Host, program: readonly string[]): Promise<void> {
  const unit = [
    ...['[Service]', `ExecStart=${[...program, 'serve'].join(' ')}`],
    ...['Environment=AGENT_AUTH=none-for-tests', 'Environment=AGENT_LISTEN=127.0.0.1:8440'],
  ]
  await host.must(['mkdir', '-p', '/var/lib/hosting-agent', '/srv/www'])
  await host.put('/etc/systemd/system/hosting-agent.service', `${unit.join('\n')}\n`)
  await host.must(['systemctl', 'daemon-reload'])
  await host.must(['systemctl', 'restart', 'hosting-agent'])
  const ready = () => host.exec(['curl', '-sf', 'http://127.0.0.1:8440/health'])
  const up = await lab.polled(async () => (await ready()).code === 0, {
    every_ms: 100,
    timeout_ms: 180_000,
  })
  if (!up)
    throw new Error(`the agent does not answer: ${await host.must(['journalctl', '-n', '50'])}`)
}

export async function discovered(host: lab.Host) {
  const ask = async (path: string) =>
    JSON.parse(
      await host.must(['curl', '-sSf', '--max-time', '60', `http://127.0.0.1:8440${path}`]),
    )
  const { sites } = FoundSites.parse(await ask('/sites'))
  const { unnamed, programs } = Web.parse(await ask('/web'))
  return { sites: [...sites, ...unnamed] satisfies Reported[], programs }
}
