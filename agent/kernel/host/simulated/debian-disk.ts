import { Disk } from './disk.ts'

/** Folders that packages of Debian make, in which the agent creates links, appends to files or moves something. */
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

/** The disk of a Debian on which nothing but its packages has made folders. */
export function debianDisk(now: () => number): Disk {
  const disk = new Disk(now)
  disk.imply(FOLDERS)
  return disk
}
