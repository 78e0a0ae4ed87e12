import { CommandFailed } from '#agent/host/errors.ts'
import type { Host, WriteOptions } from '#agent/host/ports.ts'

/** start-stop-daemon(8): the pid file names no running process of the program. */
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
  /** Written by the program itself. */
  pid_file: string
  /** The kernel's list of its processes, for programs that may not write a pid file for root. */
  processes?: string
  /** The capabilities that its root process keeps without systemd: capabilities(7). */
  capabilities?: readonly string[]
  log: string
  /** The signal that ends it without dropping work. */
  stop_signal: 'TERM' | 'QUIT'
  /** A folder below /run that must be there before it starts. */
  folder?: { path: string; options: WriteOptions }
}

export interface Services {
  /** Returns when the program is ready; does nothing if it is running. */
  start(service: Service): Promise<void>
  stop(service: Service): Promise<void>
  restart(service: Service): Promise<void>
}

/** Without starting a program; a zombie is not running. */
export async function isRunning(
  { files, init }: Pick<Host, 'files' | 'init'>,
  service: Service,
): Promise<boolean> {
  if (init === 'systemd' && service.processes !== undefined) {
    return ((await files.read(service.processes)) ?? '') !== ''
  }
  const pid = (await files.read(service.pid_file))?.trim() ?? ''
  if (!/^[1-9]\d*$/.test(pid)) return false
  const status = (await files.read(`/proc/${pid}/status`)) ?? ''
  const [, name, state] = /^Name:\t(.+)\n[\s\S]*?^State:\t(\w)/m.exec(status) ?? []
  return name === service.program.split('/').at(-1)?.slice(0, 15) && state !== 'Z'
}

/**
 * The effect of a unit's ExecReload, with and without systemd. Its package may restart the program at
 * the same time: then it is tried again. One that has ended needs no signal to read its configuration
 * (HUP), or to end (QUIT).
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
