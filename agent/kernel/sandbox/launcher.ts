/** `idle` comes after everything else; `low` is that of backups, behind visitors. */
export type Priority = 'idle' | 'low'

/** The priorities of nice(1) and ionice(1). */
const PRIORITIES: Record<Priority, readonly string[]> = {
  idle: ['nice', '-n', '19', 'ionice', '-c', '3'],
  low: ['nice', '-n', '10', 'ionice', '-c', '2', '-n', '7'],
}

interface LauncherOptions {
  user: string
  /** The options of prlimit(1). */
  limits: readonly string[]
  /** The priority of the program; the default one when absent. */
  pace?: Priority | undefined
  /** False for a separate network namespace without any interface; true by default. */
  network?: boolean
}

/**
 * Returns the arguments that start a program of a site without systemd: in its own process
 * namespace, which ends its child processes with it (unshare(1), pid_namespaces(7)), with resource
 * limits, and without a way to gain privileges (setpriv(1)).
 */
export function launcherOf({ user, limits, pace, network = true }: LauncherOptions): string[] {
  return [
    'unshare',
    '--pid',
    '--fork',
    '--kill-child=SIGKILL',
    '--mount-proc',
    '--ipc',
    ...(network ? ['--'] : ['--net', '--']),
    ...(pace === undefined ? [] : PRIORITIES[pace]),
    'prlimit',
    ...limits,
    '--',
    'setpriv',
    `--reuid=${user}`,
    `--regid=${user}`,
    '--clear-groups',
    '--no-new-privs',
    '--inh-caps=-all',
    '--bounding-set=-all',
    '--',
  ]
}

/** Returns the limits of memory in MB, and of the size of each written file in bytes. */
export const resourceLimits = (memory: number, file_bytes?: number): string[] => [
  '--core=0',
  `--data=${memory * 2 ** 20}`,
  ...(file_bytes === undefined ? [] : [`--fsize=${file_bytes}`]),
]
