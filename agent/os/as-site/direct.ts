interface Apart {
  user: string
  /** Options of prlimit(1). */
  limits: readonly string[]
  /** At the lowest priority: nice(1), ionice(1). */
  idle?: boolean
  /** False: in a network of its own, which has nothing. Default true. */
  network?: boolean
}

/**
 * What starts a program of a site where systemd does not: in a process namespace of its own, so that
 * what forks off ends with it (unshare(1), pid_namespaces(7)), with resource limits, and with no way
 * to privileges (setpriv(1)).
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

/** Resource limits: memory in MB, and bytes of the largest file that is written. */
export const limitsOf = (memory: number, file_bytes?: number): string[] => [
  '--core=0',
  `--data=${memory * 2 ** 20}`,
  ...(file_bytes === undefined ? [] : [`--fsize=${file_bytes}`]),
]
