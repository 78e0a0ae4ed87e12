import type { Service } from './service.ts'

/** The output of a program before it opens its log; under systemd it is in the journal. */
export const SERVICES_LOG = '/var/log/hosting-services.log'

export const NGINX: Service = {
  unit: 'nginx.service',
  program: '/usr/sbin/nginx',
  args: ['-g', 'daemon off;'],
  pid_file: '/run/nginx.pid',
  log: SERVICES_LOG,
  stop_signal: 'QUIT',
}

export const MARIADB: Service = {
  unit: 'mariadb.service',
  program: '/usr/sbin/mariadbd',
  args: ['--user=mysql', '--pid-file=/run/mysqld/mysqld.pid'],
  pid_file: '/run/mysqld/mysqld.pid',
  log: SERVICES_LOG,
  stop_signal: 'TERM',
  folder: { path: '/run/mysqld', options: { owner: 'mysql', group: 'root', mode: 0o755 } },
}

export const CRON: Service = {
  unit: 'cron.service',
  program: '/usr/sbin/cron',
  args: ['-f'],
  pid_file: '/run/crond.pid',
  log: SERVICES_LOG,
  stop_signal: 'TERM',
}

/** Debian's services that sites need, by their names in `GET /services`. */
export const DEBIAN_SERVICES = { nginx: NGINX, mariadb: MARIADB, cron: CRON }
