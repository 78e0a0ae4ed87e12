import { parseArgs } from 'node:util'
import { findPortHolder } from '#agent/features/servers/port-holders.ts'
import type { Config } from '#agent/kernel/config.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { SETTINGS_FILE } from '#agent/kernel/settings-path.ts'
import { loadIdentity } from '#agent/kernel/trust/identity.ts'
import { TrustedDashboard } from '#agent/kernel/trust/trusted-dashboard.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'
import { FRONT_SOCKET, FRONT_UNIT, provideFrontUser, ROOT_UNIT, writeOwnUnits } from './units.ts'

const UNITS = [FRONT_SOCKET, ROOT_UNIT, FRONT_UNIT]
const BUS = '/run/dbus/system_bus_socket'

/**
 * `hosting-agent install --port 8443`: runs this executable as two services from now on. An existing
 * settings file belongs to the administrator. A repeated call installs a new executable.
 */
export async function install(config: Config, host: Host, args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { port: { type: 'string', default: '8443' } } })
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port < 1024 || port > 65_535) {
    throw new Error('--port must be between 1024 and 65535: the listening half has no privileges')
  }
  await refuseUnfit(host)
  await refuseTakenPort(host, port)
  await provideFrontUser(host)
  if ((await host.files.read(SETTINGS_FILE)) === undefined) {
    await host.files.write(SETTINGS_FILE, await settingsFor(config, host, port), { mode: 0o600 })
  }
  await shareWithFront(config, host)
  await writeOwnUnits(config, host)
  await host.shell.run(['systemctl', 'daemon-reload'])
  await host.shell.run(['systemctl', 'enable', '--quiet', ...UNITS])
  await host.shell.run(['systemctl', 'restart', ...UNITS])
  return `installed: ${FRONT_UNIT} answers on port ${port}, and ${ROOT_UNIT} runs`
}

async function refuseUnfit(host: Host): Promise<void> {
  if (!isMet(NEEDS.installation, host)) throw new Error(NEEDS.installation.refusal)
  if (!(await host.files.stat(BUS))) {
    throw new Error('the sandbox of the agent needs D-Bus: apt-get install dbus, and try again')
  }
}

/** Refuses a taken port: the dashboard would reach the other program. */
async function refuseTakenPort(host: Host, given: number): Promise<void> {
  const settings = (await host.files.read(SETTINGS_FILE)) ?? ''
  const port = Number(/^AGENT_LISTEN=.*:(\d+)$/m.exec(settings)?.[1] ?? given)
  const program = await findPortHolder(host, port)
  if (program === undefined) return
  throw new Error(
    `port ${port} is in use by ${program}: change the port of this server in the dashboard, and run the new install command`,
  )
}

/** Writes the data of the listening half: the public keys, and by a credential the TLS key. */
async function shareWithFront({ state_dir }: Config, { files, clock }: Host): Promise<void> {
  await files.mkdir(state_dir, { mode: 0o711 })
  const { tls_key, certificate } = await loadIdentity(files, state_dir, clock.now())
  await files.mkdir(`${state_dir}/trust`, { mode: 0o711 })
  await files.write(`${state_dir}/trust/tls.key`, tls_key, { mode: 0o600 })
  await files.write(`${state_dir}/trust/tls.crt`, certificate, { mode: 0o644 })
  const hub = new TrustedDashboard(files, state_dir)
  const trusted = await hub.read()
  if (trusted) await hub.write(trusted)
}

async function settingsFor(config: Config, { files }: Host, port: number): Promise<string> {
  const hasIpv6 = (await files.stat('/proc/net/if_inet6')) !== undefined
  return `# Settings of the agent: .github/docs/agent.md of Hosting Control lists all of them.
AGENT_LISTEN=${hasIpv6 ? '[::]' : '0.0.0.0'}:${port}
AGENT_STATE_DIR=${config.state_dir}
`
}
