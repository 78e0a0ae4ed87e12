import { IMAGE_PACKAGES, packagesOf } from '#agent/kernel/packages/packages.ts'

/** The Debian releases of the lab's hosts, with the PHP of each. */
export const suites = {
  bookworm: { php: '8.2', release: '12' },
  trixie: { php: '8.4', release: '13' },
} as const

export type Suite = keyof typeof suites

/** Packages of a minimal new Debian server: no web server, PHP, database, curl, cron. */
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

/** Other packages of its source (with all their dependencies). */
export function offered(suite: Suite): string[] {
  const { php, release } = suites[suite]
  return [
    'nginx',
    'php-fpm',
    'php-cli',
    ...packagesOf(php),
    ...(IMAGE_PACKAGES[release] ?? []),
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
