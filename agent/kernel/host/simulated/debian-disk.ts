import { Disk } from './disk.ts'

/** The folders that packages of Debian create, in which the agent changes something. */
const FOLDERS = [
  '/etc/cron.d',
  '/etc/logrotate.d',
  '/etc/mysql/mariadb.conf.d',
  '/etc/nginx/conf.d',
  '/etc/nginx/sites-available',
  '/etc/nginx/sites-enabled',
  '/etc/systemd/system/multi-user.target.wants',
  '/etc/systemd/system/timers.target.wants',
  '/etc/tmpfiles.d',
  '/run',
  '/srv',
  '/sys/fs/cgroup',
  '/usr/local/bin',
  '/usr/local/lib',
  '/var/cache',
  '/var/lib',
  '/var/log',
]

/** Returns the disk of a Debian with only the folders of its packages. */
export function debianDisk(now: () => number): Disk {
  const disk = new Disk(now)
  disk.imply(FOLDERS)
  return disk
}
