import process from 'node:process'
import { MAIL_UNIT, MAIL_UNIT_PATH, renderMailUnit } from '#agent/features/mail/service.ts'
import type { Config } from '#agent/kernel/config.ts'
import type { Files, Host } from '#agent/kernel/host/ports.ts'
import { executeInsideDirectives } from '#agent/kernel/host/root-programs.ts'
import {
  AGENT_GROUP,
  FRONT_USER,
  ROOT_HALF,
  UNPRIVILEGED,
  WRITABLE,
} from '#agent/kernel/host/sandbox.ts'
import { SETTINGS_FILE } from '#agent/kernel/settings-path.ts'
import { listenWord, unit } from '#shared/kernel/formats/systemd.ts'
import type { FormattedText } from '#shared/kernel/formats/template.ts'

export const ROOT_UNIT = 'hosting-agent.service'
export const FRONT_UNIT = 'hosting-agent-front.service'
export const FRONT_SOCKET = 'hosting-agent-front.socket'
export const pathOfUnit = (unit: string) => `/etc/systemd/system/${unit}`

/** `hosting-agent units`, for upgrades: creates the listening half's user, writes the units. */
export async function units(config: Config, host: Host): Promise<string> {
  await provideFrontUser(host)
  await writeOwnUnits(config, host)
  return 'written: the units of this version'
}

export async function writeOwnUnits(config: Config, host: Host): Promise<void> {
  const { state_dir } = config
  const { files } = host
  const mail = (await files.stat(MAIL_UNIT_PATH)) && (await renderMailUnit(host))
  await writeUnits(files, {
    [ROOT_UNIT]: renderRoot(process.execPath, state_dir),
    [FRONT_UNIT]: renderFront(process.execPath, state_dir),
    [FRONT_SOCKET]: renderFrontSocket(await listenAddress(config, host)),
    ...(mail && { [MAIL_UNIT]: mail }),
  })
}

const FRONT_COMMENT = 'Hosting Control agent'

/** Throws if a user of somebody else has the name: it could end and read the listening half. */
export async function provideFrontUser({ files, shell }: Host): Promise<void> {
  const lines = ((await files.read('/etc/passwd', 64 << 20)) ?? '').split('\n')
  const entry = lines.find((line) => line.startsWith(`${FRONT_USER}:`))
  if (entry !== undefined && entry.split(':')[4] === FRONT_COMMENT) return
  if (entry !== undefined) {
    throw new Error(
      `the user ${FRONT_USER} of this server is not that of the agent: remove or rename it, and try again`,
    )
  }
  await shell.run(['groupadd', '--system', '--force', AGENT_GROUP])
  const home = ['--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin']
  const words = ['--system', '--no-user-group', '--gid', AGENT_GROUP, ...home]
  await shell.run(['useradd', ...words, '--comment', FRONT_COMMENT, '--', FRONT_USER])
}

export async function readUnits(files: Files): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const unit of [ROOT_UNIT, FRONT_UNIT, FRONT_SOCKET, MAIL_UNIT]) {
    const text = await files.read(pathOfUnit(unit))
    if (text !== undefined) found[unit] = text
  }
  return found
}

/** Writes the units, which systemd reads at its next reload. */
export async function writeUnits(files: Files, texts: Record<string, string>): Promise<void> {
  for (const [unit, text] of Object.entries(texts)) await files.write(pathOfUnit(unit), text)
}

interface AgentUnit {
  description: FormattedText
  after: string
  start: readonly string[]
  directives: readonly string[]
}

/** Renders the working half, on a local socket. */
function renderRoot(program: string, state_dir: string): string {
  const group = `/sys/fs/cgroup/system.slice/${ROOT_UNIT}`
  return render({
    description: unit.part`Hosting Control agent`,
    after: 'After=local-fs.target dbus.service',
    start: [program, 'root'],
    directives: [
      ...ROOT_HALF,
      unit`ReadWritePaths=${state_dir}`,
      `ReadWritePaths=-${group}`,
      ...executeInsideDirectives(program, [...WRITABLE, state_dir, group]),
    ],
  })
}

/** Renders the listening half. Its TLS key belongs to root: systemd passes it a private copy. */
function renderFront(program: string, state_dir: string): string {
  return render({
    description: unit.part`Hosting Control agent, the half that listens`,
    after: [
      `After=network-online.target ${FRONT_SOCKET} ${ROOT_UNIT}`,
      `Wants=network-online.target ${ROOT_UNIT}`,
      `Requires=${FRONT_SOCKET}`,
    ].join('\n'),
    start: [program, 'front'],
    directives: [
      ...UNPRIVILEGED,
      `User=${FRONT_USER}`,
      `Group=${AGENT_GROUP}`,
      unit`LoadCredential=tls.key:${state_dir}/trust/tls.key`,
      unit`LoadCredential=tls.crt:${state_dir}/trust/tls.crt`,
    ],
  })
}

/** Reads the address from the settings that `install` has just written, newer than its own. */
async function listenAddress({ address, port }: Config, { files }: Host): Promise<string> {
  const settings = (await files.read(SETTINGS_FILE)) ?? ''
  const written = /^AGENT_LISTEN="?([^"\s]+)"?$/m.exec(settings)?.[1]
  const shown = address.includes(':') ? `[${address}]` : address
  return (written ?? `${shown}:${port}`).replace(/^localhost:/, '127.0.0.1:')
}

/**
 * Renders the socket. systemd holds the port from the boot of the server on: while the listening
 * half restarts, no program of a site can take it, and connections wait. The address may not exist
 * yet at that time. Without the limit, systemd would give the port up when the listening half fails
 * again and again.
 */
const renderFrontSocket = (address: string): string => unit`[Unit]
Description=Port of the Hosting Control agent

[Socket]
ListenStream=${listenWord(address)}
BindIPv6Only=both
FreeBind=yes
Backlog=511
TriggerLimitIntervalSec=0

[Install]
WantedBy=sockets.target
`

function render({ description, after, start, directives }: AgentUnit): string {
  return unit`[Unit]
Description=${description}
${after}
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${start}
EnvironmentFile=-${SETTINGS_FILE}
Restart=always
RestartSec=1
NotifyAccess=none
${directives.join('\n')}

[Install]
WantedBy=multi-user.target
`
}
