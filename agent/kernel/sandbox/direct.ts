/** `idle`: everything else comes first. `low`: that of backups, behind visitors. */
export type Pace = 'idle' | 'low'

/** nice(1), ionice(1). */
const PACES: Record<Pace, readonly string[]> = {
  idle: ['nice', '-n', '19', 'ionice', '-c', '3'],
  low: ['nice', '-n', '10', 'ionice', '-c', '2', '-n', '7'],
}

interface Apart {
  user: string
  /** Options of prlimit(1). */
  limits: readonly string[]
  /** The priority of the program; absent for that of any program. */
  pace?: Pace | undefined
  /** False: in a separate network namespace without any interface. Default true. */
  network?: boolean
}

/**
 * The arguments that start a program of a site without systemd: in its own process namespace, which
 * ends its child processes with it (unshare(1), pid_namespaces(7)), with resource limits, and
 * without a way to gain privileges (setpriv(1)).
 */
export function launcherOf({ user, limits, pace, network = true }: Apart): string[] {
  return [
    ...['unshare', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', '--ipc'],
    ...(network ? ['--'] : ['--net', '--']),
    ...(pace === undefined ? [] : PACES[pace]),
    ...['prlimit', ...limits, '--'],
    ...['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'],
    ...['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--'],
  ]
}

/** Resource limits: memory in MB, and the size of the largest file that it may write, in bytes. */
export const limitsOf = (memory: number, file_bytes?: number): string[] => [
  '--core=0',
  `--data=${memory * 2 ** 20}`,
  ...(file_bytes === undefined ? [] : [`--fsize=${file_bytes}`]),
]
