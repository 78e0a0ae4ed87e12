import { type Change, deferred } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { deniedAddresses } from '#agent/kernel/host/denied-addresses.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { UNPRIVILEGED } from '#agent/kernel/host/sandbox.ts'
import { MAIL_USER, mailPathsIn } from '#agent/kernel/mail/paths.ts'
import { SERVICES_LOG } from '#agent/kernel/services/debian-services.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import { isRunning, type Service } from '#agent/kernel/services/service.ts'
import { UNITS } from '#agent/kernel/services/systemd.ts'
import { SETTINGS_FILE } from '#agent/kernel/settings-path.ts'
import { CONFIGURATION, HOMES } from '#agent/kernel/site/paths.ts'
import { unit } from '#shared/kernel/formats/systemd.ts'
import { hasRelay, hasStagingSites } from './files.ts'

/** The unit of the queue; due to its name, an upgrade restarts it with the agent. */
export const MAIL_UNIT = 'hosting-agent-mail.service'
export const MAIL_UNIT_PATH = `${UNITS}/${MAIL_UNIT}`
export const MAIL_PROCESSES = `/sys/fs/cgroup/system.slice/${MAIL_UNIT}/cgroup.procs`

export function mailService({ settings }: Pick<Host, 'settings'>): Service {
  const [program = '', ...args] = settings.program
  return {
    unit: MAIL_UNIT,
    program,
    args: [...args, 'mail'],
    env: { AGENT_MAIL_DIR: settings.mail_dir },
    pid_file: '/run/hosting-mail.pid',
    processes: MAIL_PROCESSES,
    user: MAIL_USER,
    log: SERVICES_LOG,
    stop_signal: 'TERM',
    stop_seconds: 25,
  }
}

/** Renders the unit with a fixed user, as the folders of its sockets keep their owner. */
export async function renderMailUnit({ files, settings }: Host): Promise<string> {
  const { mail_dir } = settings
  const places = mailPathsIn(mail_dir)
  return unit`# ${MARK_LINE}
[Unit]
Description=Hosting Control agent, the queue of the mail of sites
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${[...settings.program, 'mail']}
EnvironmentFile=-${SETTINGS_FILE}
Environment=AGENT_MAIL_DIR=${mail_dir}
Restart=always
RestartSec=250ms
TimeoutStopSec=30
NotifyAccess=none
User=${MAIL_USER}
Group=${MAIL_USER}
${UNPRIVILEGED.join('\n')}
${deniedAddresses((await files.read('/etc/resolv.conf')) ?? '')}
ReadWritePaths=${places.sockets} ${places.queue} ${places.status}
InaccessiblePaths=-/var/lib/hosting-agent -${CONFIGURATION} -${HOMES} -/var/lib/mysql -/run/hosting-agent

[Install]
WantedBy=multi-user.target
`
}

/**
 * The queue runs only with a relay or for a staging site; waiting mail stays on the disk. `needed`:
 * whether it has one after the change.
 */
export const synced = (host: Host, needed: () => Promise<boolean>): Change => {
  const change = deferred(async () => ((await needed()) ? running(host) : stopped(host)))
  return { effects: change.effects, apply: () => host.exclusive('mail', change.apply) }
}

/** As the present settings need it. */
export const syncMailService = (host: Host): Promise<void> =>
  synced(host, async () => (await hasRelay(host)) || (await hasStagingSites(host))).apply()

function running(host: Host): Change {
  const service = mailService(host)
  const unit = deferred(async () => servicesOf(host).installed(service, await renderMailUnit(host)))
  return {
    async effects() {
      const installing = await unit.effects()
      if (await isRunning(host, service)) return installing
      const opened = await effects.creationsOf(host, 'socket', ...(await socketsOf(host)))
      return [...installing, effects.create('service', MAIL_UNIT), ...opened]
    },
    apply: unit.apply,
  }
}

/** A site that finds no socket fails immediately: there is no relay. */
function stopped(host: Host): Change {
  const service = mailService(host)
  const removal = servicesOf(host).uninstalled(service)
  return {
    effects: async () => [
      ...((await isRunning(host, service)) ? [effects.remove('service', MAIL_UNIT)] : []),
      ...(await removal.effects()),
      ...(await effects.removalsOf(host, 'socket', ...(await socketsOf(host)))),
    ],
    async apply() {
      await removal.apply()
      await removeSockets(host)
    },
  }
}

export async function removeSockets(host: Host): Promise<void> {
  for (const path of await socketsOf(host)) await host.files.remove(path)
}

/** Lists the sockets of all sites, which the queue opens. */
async function socketsOf({ files, settings }: Host): Promise<string[]> {
  const { sockets } = mailPathsIn(settings.mail_dir)
  return (await files.list(sockets)).map(({ name }) => `${sockets}/${name}/mail.sock`)
}
