import { deniedAddresses } from '#agent/host/denied-addresses.ts'
import type { Host } from '#agent/host/ports.ts'
import { UNPRIVILEGED } from '#agent/host/sandbox.ts'
import * as effects from '#agent/os/effects/effects.ts'
import { MARK_LINE, readGenerated, removeGenerated, replace } from '#agent/os/effects/generated.ts'
import { LOG } from '#agent/os/services/known.ts'
import { isRunning, type Service } from '#agent/os/services/service.ts'
import { UNITS, WANTS } from '#agent/os/services/systemd.ts'
import { CONFIGURATION, HOMES } from '#agent/os/site/paths.ts'
import { SETTINGS_FILE } from '#agent/os/upgrade/settings.ts'
import { unit } from '#shared/formats/systemd.ts'
import type { Effect } from '#shared/plan.ts'
import { hasRelay, keepsMail } from './files.ts'
import { MAIL_USER, mailPlaces } from './places.ts'

/** An upgrade of the agent restarts it with the agent's own units, because of its name. */
export const MAIL_UNIT = 'hosting-agent-mail.service'
export const MAIL_UNIT_PATH = `${UNITS}/${MAIL_UNIT}`
export const MAIL_PROCESSES = `/sys/fs/cgroup/system.slice/${MAIL_UNIT}/cgroup.procs`
const LINK = `${WANTS}/${MAIL_UNIT}`
const PID_FILE = '/run/hosting-mail.pid'

export function mailService({ settings }: Pick<Host, 'settings'>): Service {
  const [program = '', ...args] = settings.program
  return {
    unit: MAIL_UNIT,
    program,
    args: [...args, 'mail'],
    pid_file: PID_FILE,
    processes: MAIL_PROCESSES,
    log: LOG,
    stop_signal: 'TERM',
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
    if ((await hasRelay(host)) || (await keepsMail(host))) await start(host)
    else await stop(host)
  })
}

/** What `syncService` would do with or without a relay. */
export async function planSync(host: Host, relay: boolean): Promise<Effect[]> {
  const runs = await isRunning(host, mailService(host))
  if (!relay) {
    return [
      ...(runs ? [effects.remove('service', MAIL_UNIT)] : []),
      ...(await effects.planRemove(host, 'link', LINK)),
      ...(await effects.planRemove(host, 'file', MAIL_UNIT_PATH)),
      ...(await effects.planRemove(host, 'socket', ...(await socketsOf(host)))),
    ]
  }
  const opened = await effects.planMake(host, 'socket', ...(await socketsOf(host)))
  const started = runs ? [] : [effects.create('service', MAIL_UNIT), ...opened]
  if (host.init === 'direct') return started
  const unit = { path: MAIL_UNIT_PATH, text: await renderMailUnit(host) }
  return [
    ...(await effects.planGenerate(host, [unit])),
    ...(await effects.planMake(host, 'link', LINK)),
    ...started,
  ]
}

async function start(host: Host): Promise<void> {
  if (host.init === 'direct') return startDirectly(host)
  const before = await readGenerated(host, MAIL_UNIT_PATH)
  const text = await renderMailUnit(host)
  await replace(host, MAIL_UNIT_PATH, text)
  await host.files.mkdir(WANTS)
  await host.files.link(MAIL_UNIT_PATH, LINK)
  if (before !== text) await host.shell.run(['systemctl', 'daemon-reload'])
  const runs = await isRunning(host, mailService(host))
  if (!runs || (before !== undefined && before !== text)) {
    await host.shell.run(['systemctl', 'restart', MAIL_UNIT])
  }
}

async function stop(host: Host): Promise<void> {
  const service = mailService(host)
  if (host.init === 'direct') {
    const target = ['--remove-pidfile', '--pidfile', PID_FILE, '--exec', service.program]
    const quiet = ['--stop', '--quiet', '--oknodo', '--retry=TERM/25/KILL/5']
    if (await isRunning(host, service)) {
      await host.shell.run(['start-stop-daemon', ...quiet, ...target])
    }
  } else if (await host.files.stat(MAIL_UNIT_PATH)) {
    await host.shell.run(['systemctl', 'stop', MAIL_UNIT])
    await host.files.remove(LINK)
    await removeGenerated(host, MAIL_UNIT_PATH)
    await host.shell.run(['systemctl', 'daemon-reload'])
  }
  await removeSockets(host)
}

/** A site that finds none fails immediately: there is no relay. */
export async function removeSockets(host: Host): Promise<void> {
  for (const path of await socketsOf(host)) await host.files.remove(path)
}

/** Those of all sites, which the queue opens. */
async function socketsOf({ files, settings }: Host): Promise<string[]> {
  const { sockets } = mailPlaces(settings.mail_dir)
  return (await files.list(sockets)).map(({ name }) => `${sockets}/${name}/mail.sock`)
}

/** Also at boot on machines without systemd. */
async function startDirectly(host: Host): Promise<void> {
  if (await isRunning(host, mailService(host))) return
  const { mail_dir, program } = host.settings
  const drop = ['--clear-groups', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--']
  const user = ['setpriv', `--reuid=${MAIL_USER}`, `--regid=${MAIL_USER}`, ...drop]
  const command = [...user, 'env', `AGENT_MAIL_DIR=${mail_dir}`, ...program, 'mail']
  const pid = await host.shell.daemon(command, { log: LOG })
  await host.files.write(PID_FILE, `${pid}\n`)
}
