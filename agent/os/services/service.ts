import type { Host, WriteOptions } from '#agent/host/ports.ts'

/** A program that keeps running, as systemd knows it and as it is started without systemd. */
export interface Service {
  unit: string
  /** Absolute, as /proc/<pid>/exe shows it. */
  program: string
  args: readonly string[]
  env?: Readonly<Record<string, string>>
  /** The unit that systemd listens with in its place: systemd.socket(5). */
  socket_unit?: string
  /** Written by the program itself. */
  pid_file: string
  /** Where the kernel lists the processes of the unit, for one that may not write a pid file for root. */
  processes?: string
  /** All that root's own process keeps of its powers where systemd does not limit it: capabilities(7). */
  capabilities?: readonly string[]
  log: string
  /** How it ends without dropping work. */
  stop_signal: 'TERM' | 'QUIT'
  /** A folder below /run that must be there before it starts. */
  folder?: { path: string; options: WriteOptions }
}

export interface Services {
  /** Returns when the program is ready; one that runs is left alone. */
  start(service: Service): Promise<void>
  stop(service: Service): Promise<void>
  restart(service: Service): Promise<void>
}

/** Without starting a program; one that ended and nobody waits for is not running. */
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

/** Same in both worlds: what a unit's ExecReload does, without the detour. */
export async function signal(
  host: Host,
  service: Service,
  name: 'HUP' | 'USR2' | 'QUIT',
): Promise<void> {
  const target = ['--pidfile', service.pid_file, '--exec', service.program]
  const argv = ['start-stop-daemon', '--stop', '--quiet', '--signal', name, ...target]
  await host.shell.run(argv, { unconfined: true })
}
