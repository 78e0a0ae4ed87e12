import type { RunOptions, SiteProcess } from '#agent/kernel/host/ports.ts'
import { DYNAMIC_USER, UNPRIVILEGED } from '#agent/kernel/host/sandbox.ts'

/** The paths that the program does not see: those of root, sites and other services. */
const HIDDEN = [
  '/srv',
  '/etc/hosting',
  '/etc/hosting-agent',
  '/etc/nginx',
  '/etc/mysql',
  '/etc/ssh',
  '/var/lib/hosting-agent',
  '/var/lib/mysql',
  '/var/lib/nginx',
  '/var/log',
  '/var/backups',
  '/var/cache/hosting',
  '/var/spool',
  '/root',
  '/boot',
  '/mnt',
  '/media',
  '/opt/hosting',
  '/run/hosting-agent',
  '/run/hosting-fpm',
  '/run/dbus',
  '/run/log',
  '/run/nginx.pid',
  '/run/systemd/private',
  '/run/systemd/units',
  '/run/systemd/transient',
  '/run/user',
  '/run/php',
]

/** The directives of a user that belongs to no site, and exists while the program runs. */
const DIRECTIVES: readonly string[] = [
  ...UNPRIVILEGED.filter(
    (line) => !/^(RestrictAddressFamilies|MemoryMax|PrivateUsers)=/.test(line),
  ),
  DYNAMIC_USER,
  'RestrictAddressFamilies=AF_UNIX',
  'PrivateNetwork=yes',
  'IPAddressDeny=any',
  'PrivateIPC=yes',
  'TemporaryFileSystem=/dev/shm:mode=1777 /run/lock:mode=1777',
  `InaccessiblePaths=${HIDDEN.map((path) => `-${path}`).join(' ')}`,
  'MemoryMax=512M',
  'MemorySwapMax=0',
  'LimitCORE=0',
  'LimitFSIZE=16777216',
  'KillSignal=SIGKILL',
]

/**
 * Returns the options for a program that processes data of a site without its rights: neither a
 * site nor another run can see it, or be seen by it. Needs systemd.
 */
export function isolatedRun(
  program: readonly string[],
  input: string,
  timeout_ms: number,
): RunOptions {
  const site: SiteProcess = {
    user: '',
    slice: 'system.slice',
    directives: [...DIRECTIVES, `BindReadOnlyPaths=${program.slice(0, 1).join(' ')}`],
    launcher: ['false'],
  }
  return { input, timeout_ms, site, env: { HOME: '/' } }
}
