import { type Host, startHost } from '#tests/support/lab/index.ts'
import type { HostOptions } from '#tests/support/lab/start-host.ts'
import { poll } from '#tests/support/lab/wait.ts'

export const PROGRAM = '/usr/local/bin/hosting-agent'
export const UNIT_FILE = '/etc/systemd/system/hosting-agent.service'
const SETTINGS = `${UNIT_FILE}.d/settings.conf`

/** An installed agent's settings, but with sources on this machine. */
export const ENVIRONMENT = {
  AGENT_AUTH: 'none-for-tests',
  AGENT_LISTEN: '127.0.0.1:8443',
  AGENT_WORDPRESS_URL: 'file:///srv/mirror',
  AGENT_WORDPRESS_CHECKSUMS_URL: 'file:///srv/checksums',
  AGENT_WP_CLI_URL: 'file:///srv/mirror/wp-cli.phar',
}

const UNIT = `[Unit]
Description=Hosting Control agent
After=network.target
StartLimitIntervalSec=0

[Service]
ExecStart=${PROGRAM} serve
Restart=always
${Object.entries(ENVIRONMENT)
  .map(([name, value]) => `Environment=${name}=${value}`)
  .join('\n')}

[Install]
WantedBy=multi-user.target
`

/** A fresh server with bare Debian or `image`, which runs the agent's executable as a service. */
export async function startMachine(
  { binds = [], ...options }: Pick<HostOptions, 'name' | 'suite' | 'init' | 'image' | 'binds'>,
  { program, mirror, serve = true }: { program: string; mirror: string; serve?: boolean },
): Promise<Host> {
  const host = await startHost({
    ...options,
    binds: [{ from: mirror, to: '/srv/mirror', readonly: true }, ...binds],
  })
  await host.put(PROGRAM, await Bun.file(program).bytes(), 0o755)
  if (!serve) return host
  if (options.init === 'systemd') {
    await host.put(UNIT_FILE, UNIT)
    await host.must(['systemctl', 'enable', '--now', 'hosting-agent.service'])
  } else host.spawn([PROGRAM, 'serve'], ENVIRONMENT)
  await poll(() => answers(host), { every_ms: 50 })
  return host
}

/** Further settings of the agent, which is started again. */
export async function configureAgent(host: Host, settings: Record<string, string>): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `Environment=${name}=${value}\n`)
  if (lines.length === 0) return
  await host.put(SETTINGS, `[Service]\n${lines.join('')}`)
  await host.must(['systemctl', 'daemon-reload'])
  await host.must(['systemctl', 'restart', 'hosting-agent.service'])
  await poll(() => answers(host), { every_ms: 50 })
}

/** The guest has no curl; bash opens the connection. */
export async function answers(host: Host): Promise<boolean> {
  const { code } = await host.exec(['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/8443'])
  return code === 0
}
