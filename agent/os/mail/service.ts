import type { Host } from '#agent/host/ports.ts'
import { UNPRIVILEGED } from '#agent/host/sandbox.ts'
import { deniedAddresses } from '#agent/os/as-site/denied-addresses.ts'
import * as effects from '#agent/os/effects/effects.ts'
import { MARK_LINE, readGenerated, removeGenerated, replace } from '#agent/os/effects/generated.ts'
import { LOG } from '#agent/os/services/known.ts'
import { isRunning, type Service } from '#agent/os/services/service.ts'
import { WANTS } from '#agent/os/services/systemd.ts'
import { CONFIGURATION, HOMES } from '#agent/os/site/paths.ts'
import type { Effect } from '#shared/plan.ts'
import { hasRelay } from './files.ts'
import { MAIL_USER, mailPlaces } from './places.ts'

/** An upgrade of the agent restarts it with the agent's own units, because of its name. */
export const MAIL_UNIT = 'hosting-agent-mail.service'
export const MAIL_UNIT_PATH = `/etc/systemd/system/${MAIL_UNIT}`
export const MAIL_PROCESSES = `/sys/fs/cgroup/system.slice/${MAIL_UNIT}/cgroup.procs`
const LINK = `${WANTS}/${MAIL_UNIT}`
const PID_FILE = '/run/hosting-mail.pid'

const argvOf = ({ program }: Host['settings']) => [...program, 'mail']

export function mailService({ settings }: Pick<Host, 'settings'>): Service {
  const [program = ''] = settings.program
  return {
    unit: MAIL_UNIT,
    program,
    args: [...settings.program.slice(1), 'mail'],
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
  const directives = UNPRIVILEGED.filter((line) => line !== 'DynamicUser=yes')
  return `# ${MARK_LINE}
[Unit]
Description=Hosting Control agent, the queue of the mail of sites
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${argvOf(settings).join(' ')}
EnvironmentFile=-/etc/hosting-agent/agent.env
Environment=AGENT_MAIL_DIR=${mail_dir}
Restart=always
RestartSec=250ms
TimeoutStopSec=30
NotifyAccess=none
User=${MAIL_USER}
Group=${MAIL_USER}
${directives.join('\n')}
${deniedAddresses((await files.read('/etc/resolv.conf')) ?? '')}
ReadWritePaths=${places.sockets} ${places.queue} ${places.status}
InaccessiblePaths=-/var/lib/hosting-agent -${CONFIGURATION} -${HOMES} -/var/lib/mysql -/run/hosting-agent

[Install]
WantedBy=multi-user.target
`
}

/** Runs only if a relay is set; waiting mail stays on the disk. */
export async function syncService(host: Host): Promise<void> {
  await host.exclusive('mail', async () => {
    if (await hasRelay(host)) await start(host)
    else await stop(host)
  })
}

/** What `syncService` would do with or without a relay. */
export async function planSync(host: Host, wanted: boolean): Promise<Effect[]> {
  const runs = await isRunning(host, mailService(host))
  const text = await renderMailUnit(host)
  if (!wanted) {
    return [
      ...(runs ? [effects.remove('service', MAIL_UNIT)] : []),
      ...(await effects.planRemove(host, 'link', LINK)),
      ...(await effects.planRemove(host, 'file', MAIL_UNIT_PATH)),
    ]
  }
  const files = host.init === 'systemd' ? [{ path: MAIL_UNIT_PATH, text }] : []
  return [
    ...(await effects.planGenerate(host, files)),
    ...(host.init === 'systemd' ? await effects.planMake(host, 'link', LINK) : []),
    ...(runs ? [] : [effects.create('service', MAIL_UNIT)]),
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
    if (await isRunning(host, service)) await stopDirectly(host, service)
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
  const places = mailPlaces(host.settings.mail_dir)
  for (const { name } of await host.files.list(places.sockets)) {
    await host.files.remove(`${places.sockets}/${name}/mail.sock`)
  }
}

/** Also at boot on machines without systemd. */
async function startDirectly(host: Host): Promise<void> {
  if (await isRunning(host, mailService(host))) return
  const drop = ['--clear-groups', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--']
  const user = [`--reuid=${MAIL_USER}`, `--regid=${MAIL_USER}`]
  const argv = ['setpriv', ...user, ...drop]
  const env = ['env', `AGENT_MAIL_DIR=${host.settings.mail_dir}`]
  const command = [...argv, ...env, ...argvOf(host.settings)]
  const pid = await host.shell.daemon(command, { log: LOG })
  await host.files.write(PID_FILE, `${pid}\n`)
}

async function stopDirectly(host: Host, { program }: Service): Promise<void> {
  const target = ['--remove-pidfile', '--pidfile', PID_FILE, '--exec', program]
  const quiet = ['--stop', '--quiet', '--oknodo', '--retry=TERM/25/KILL/5']
  await host.shell.run(['start-stop-daemon', ...quiet, ...target])
}
