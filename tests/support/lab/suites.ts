import { packagesOf } from '#agent/os/packages/packages.ts'

/** The Debian releases the lab has hosts of, with the PHP each of them ships. */
export const suites = {
  bookworm: { php: '8.2' },
  trixie: { php: '8.4' },
} as const

export type Suite = keyof typeof suites

/** What a minimal Debian server has on its first day: no web server, PHP, database, curl, cron. */
export const essentials = [
  'systemd',
  'systemd-sysv',
  'dbus',
  'iproute2',
  'iputils-ping',
  'procps',
  'ca-certificates',
  'openssh-server',
  'sudo',
  'less',
  'netbase',
  'tzdata',
  'logrotate',
]

/** What its package source offers beyond that (with everything these depend on). */
export function offered(suite: Suite): string[] {
  const { php } = suites[suite]
  return [
    'nginx',
    'php-fpm',
    'php-cli',
    ...packagesOf(php),
    `php${php}-readline`,
    `php${php}-opcache`,
    'mariadb-server',
    'mariadb-client',
    'cron',
    'curl',
    'openssl',
    'ca-certificates',
    'util-linux',
    'passwd',
    'tar',
    'gzip',
    'unzip',
    'zip',
    'rsync',
    'acl',
    'openssh-client',
    'nftables',
    'apt-utils',
    'tree',
  ]
}
