interface Apart {
  user: string
  /** Options of prlimit(1). */
  limits: readonly string[]
  /** At the lowest priority: nice(1), ionice(1). */
  idle?: boolean
  /** False: in a separate network namespace without any interface. Default true. */
  network?: boolean
}

/**
 * The arguments that start a program of a site without systemd: in its own process namespace, which
 * ends its child processes with it (unshare(1), pid_namespaces(7)), with resource limits, and
 * without a way to gain privileges (setpriv(1)).
 */
export function launcherOf({ user, limits, idle = false, network = true }: Apart): string[] {
  return [
    ...['unshare', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', '--ipc'],
    ...(network ? ['--'] : ['--net', '--']),
    ...(idle ? ['nice', '-n', '19', 'ionice', '-c', '3'] : []),
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
