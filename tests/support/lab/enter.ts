/** The environment of root's login shell, without this machine's. */
export const GUEST_ENV: Record<string, string> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  DEBIAN_FRONTEND: 'noninteractive',
}

const NAMESPACES = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup']

/** The command that runs `argv` inside the machine of process `leader`. */
export const enter = (leader: number, argv: readonly string[]): string[] => [
  '/usr/bin/nsenter',
  '--target',
  `${leader}`,
  ...NAMESPACES,
  '--',
  ...argv,
]
