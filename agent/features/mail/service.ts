import * as effects from '#agent/kernel/effects/effects.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { deniedAddresses } from '#agent/kernel/host/denied-addresses.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { UNPRIVILEGED } from '#agent/kernel/host/sandbox.ts'
import { MAIL_USER, mailPlaces } from '#agent/kernel/mail/places.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import { LOG } from '#agent/kernel/services/known.ts'
import { isRunning, type Service } from '#agent/kernel/services/service.ts'
import { UNITS } from '#agent/kernel/services/systemd.ts'
import { SETTINGS_FILE } from '#agent/kernel/settings-path.ts'
import { CONFIGURATION, HOMES } from '#agent/kernel/site/paths.ts'
import { unit } from '#shared/kernel/formats/systemd.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { hasRelay, keepsMail } from './files.ts'

/** An upgrade of the agent restarts it with the agent's own units, because of its name. */
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
    log: LOG,
    stop_signal: 'TERM',
    stop_seconds: 25,
  }
}

/** A fixed user, since the folders of its sockets have to keep their owner. */
export async function renderMailUnit({ files, settings }: Host): Promise<string> {
  const { mail_dir } = settings
  const places = mailPlaces(mail_dir)
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

/** Runs only with a relay or for a staging site; waiting mail stays on the disk. */
export async function syncService(host: Host): Promise<void> {
  await host.exclusive('mail', async () => {
    const [services, service] = [servicesOf(host), mailService(host)]
    if ((await hasRelay(host)) || (await keepsMail(host)))
      return services.installed(service, await renderMailUnit(host)).apply()
    await services.uninstalled(service).apply()
    await removeSockets(host)
  })
}

/** What `syncService` would do with or without a relay. */
export async function planSync(host: Host, relay: boolean): Promise<Effect[]> {
  const [services, service] = [servicesOf(host), mailService(host)]
  const runs = await isRunning(host, service)
  if (!relay) {
    return [
      ...(runs ? [effects.remove('service', MAIL_UNIT)] : []),
      ...(await services.uninstalled(service).effects()),
      ...(await effects.planRemove(host, 'socket', ...(await socketsOf(host)))),
    ]
  }
  const opened = await effects.planMake(host, 'socket', ...(await socketsOf(host)))
  const started = runs ? [] : [effects.create('service', MAIL_UNIT), ...opened]
  const unit = await renderMailUnit(host)
  return [...(await services.installed(service, unit).effects()), ...started]
}

/** A site that finds none fails immediately: there is no relay. */
export async function removeSockets(host: Host): Promise<void> {
  for (const path of await socketsOf(host)) await host.files.remove(path)
}

/** Lists the sockets of all sites, which the queue opens. */
async function socketsOf({ files, settings }: Host): Promise<string[]> {
  const { sockets } = mailPlaces(settings.mail_dir)
  return (await files.list(sockets)).map(({ name }) => `${sockets}/${name}/mail.sock`)
}
