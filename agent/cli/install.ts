import process from 'node:process'
import { parseArgs } from 'node:util'
import { Port } from '#shared/fields.ts'
import type { Config } from '../config.ts'
import type { Host } from '../host/ports.ts'

const UNIT = '/etc/systemd/system/hosting-agent.service'
const SETTINGS = '/etc/hosting-agent/agent.env'

/**
 * `hosting-agent install --port 8443`: runs this executable as a service from now on. The settings
 * file is the administrator's once it is there. Run again, it takes up a new executable.
 */
export async function install(_config: Config, host: Host, args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { port: { type: 'string', default: '8443' } } })
  const port = Port.safeParse(Number(values.port))
  if (!port.success) throw new Error('--port must be between 1 and 65535')
  if (host.init !== 'systemd') {
    throw new Error('systemd does not run here: start `hosting-agent serve` by what does')
  }
  if ((await host.files.read(SETTINGS)) === undefined) {
    await host.files.write(SETTINGS, await settingsFor(host, port.data), { mode: 0o600 })
  }
  await host.files.write(UNIT, renderUnit(process.execPath))
  await host.shell.run(['systemctl', 'daemon-reload'])
  await host.shell.run(['systemctl', 'enable', '--quiet', 'hosting-agent.service'])
  await host.shell.run(['systemctl', 'restart', 'hosting-agent.service'])
  return `installed: hosting-agent.service answers on port ${port.data}`
}

/** `hosting-agent uninstall`: the agent goes, and the sites stay and go on. */
export async function uninstall({ state_dir }: Config, host: Host): Promise<string> {
  await host.shell.try(['systemctl', 'disable', '--now', 'hosting-agent.service'])
  for (const path of [UNIT, SETTINGS, `${state_dir}/trust`]) await host.files.remove(path)
  await host.shell.try(['systemctl', 'daemon-reload'])
  await host.files.remove(process.execPath)
  return `uninstalled: the sites go on as they are, and their records are still in ${state_dir}`
}

async function settingsFor(host: Host, port: number): Promise<string> {
  const hasIpv6 = (await host.files.stat('/proc/net/if_inet6')) !== undefined
  return `# Settings of the agent: the README of Hosting Control lists them all.\nAGENT_LISTEN=${hasIpv6 ? '[::]' : '0.0.0.0'}:${port}\n`
}

function renderUnit(program: string): string {
  return `[Unit]
Description=Hosting Control agent
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=${program} serve
EnvironmentFile=-${SETTINGS}
Restart=always
RestartSec=1
UMask=0022
NoNewPrivileges=yes
ProtectClock=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
LockPersonality=yes
RestrictRealtime=yes

[Install]
WantedBy=multi-user.target
`
}
