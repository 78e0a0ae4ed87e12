import type { Change } from '#agent/kernel/effects/change.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Host, WriteOptions } from '#agent/kernel/host/ports.ts'

/** The status of start-stop-daemon(8) when the pid file names no running process of the program. */
const NO_PROCESS = 1
const MAX_TRIES = 10
const PAUSE_MS = 200

/** A long-running program, as a unit of systemd and as it is started without systemd. */
export interface Service {
  unit: string
  /** The absolute path in /proc/<pid>/exe. */
  program: string
  args: readonly string[]
  env?: Readonly<Record<string, string>>
  /** The socket unit that starts it on demand: systemd.socket(5). */
  socket_unit?: string
  /** The path of the pid file, written by the program, or by the agent for one with a `user`. */
  pid_file: string
  /** The kernel's list of its processes, for programs that may not write a pid file for root. */
  processes?: string
  /** The capabilities that its root process keeps without systemd: capabilities(7). */
  capabilities?: readonly string[]
  /** The unprivileged user as which it starts without systemd. */
  user?: string
  log: string
  /** The signal that ends it without dropping work. */
  stop_signal: 'TERM' | 'QUIT'
  /** The seconds between `stop_signal` and the kill of a service that still runs; 15 by default. */
  stop_seconds?: number
  /** A folder below /run that must exist before it starts. */
  folder?: { path: string; options: WriteOptions }
}

/** The service manager of a machine: systemd, or the agent itself. */
export interface Services {
  /** Returns when the program is ready; does nothing if it is running. */
  start(service: Service): Promise<void>
  stop(service: Service): Promise<void>
  restart(service: Service): Promise<void>
  /** Makes the program read its configuration again: by its unit, or by this signal. */
  reload(service: Service, name: 'HUP' | 'USR2'): Promise<void>
  /** Returns whether its unit is active, or its program runs. */
  isActive(service: Service): Promise<boolean>
  /** Returns the states in the order of the services. One that sleeps behind its socket is running. */
  statusesOf(services: readonly Service[]): Promise<('running' | 'stopped' | 'failed')[]>
  /** Returns the services that the agent has to start after a boot: systemd starts enabled ones. */
  leftAtBoot(services: readonly Service[]): readonly Service[]
  /** Makes systemd start the service at each boot; its unit file exists already. */
  enabled(service: Service): Change
  /** Writes its unit, enables the service, and starts it; it is restarted if it had another unit. */
  installed(service: Service, unit: string): Change
  /** Stops the service and removes its unit. */
  uninstalled(service: Service): Change
  /** True when it opens the sockets of a service, and connections wait until that has started. */
  holdsSockets: boolean
  /** Reads changed unit files. */
  reread(): Promise<void>
  /** Does the work if there are units, and returns `otherwise` if not. */
  units<R>(work: () => Promise<R>, otherwise: R): Promise<R>
}

/** Returns the file that lists its processes: the kernel's, or its own with the first one. */
export const pidsPathOf = (
  { init }: Pick<Host, 'init'>,
  { processes, pid_file }: Service,
): string => (init === 'systemd' ? (processes ?? pid_file) : pid_file)

/** Returns the pid file, if there is one. */
export const pidFilesOf = (host: Pick<Host, 'init'>, service: Service): string[] =>
  [pidsPathOf(host, service)].filter((path) => path === service.pid_file)

/** Returns whether it runs, without starting a program; a zombie does not run. */
export async function isRunning(
  { files, init }: Pick<Host, 'files' | 'init'>,
  service: Service,
): Promise<boolean> {
  const path = pidsPathOf({ init }, service)
  const text = (await files.read(path)) ?? ''
  if (path === service.processes) return text !== ''
  const pid = text.trim()
  if (!/^[1-9]\d*$/.test(pid)) return false
  const status = (await files.read(`/proc/${pid}/status`)) ?? ''
  const [, name, state] = /^Name:\t(.+)\n[\s\S]*?^State:\t(\w)/m.exec(status) ?? []
  return name === service.program.split('/').at(-1)?.slice(0, 15) && state !== 'Z'
}

/**
 * Signals a program like a unit's ExecReload, with and without systemd. Its package may restart the
 * program at the same time: then it is tried again. One that has ended needs no signal to read its
 * configuration (HUP), or to end (QUIT).
 */
export async function signal(
  host: Host,
  service: Service,
  name: 'HUP' | 'USR2' | 'QUIT',
): Promise<void> {
  const target = ['--pidfile', service.pid_file, '--exec', service.program]
  const argv = ['start-stop-daemon', '--stop', '--signal', name, ...target]
  for (let tries = 1; ; tries++) {
    const output = await host.shell.try(argv, { unconfined: true })
    if (output.code === 0) return
    if (output.code !== NO_PROCESS || tries === MAX_TRIES) throw new CommandFailed(argv, output)
    await host.clock.sleep(PAUSE_MS)
    if (name !== 'USR2' && !(await isRunning(host, service))) return
  }
}
