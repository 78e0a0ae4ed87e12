import { folder } from '#agent/host/simulated/nodes.ts'
import { statusOf } from '#agent/host/simulated/programs/services.ts'
import { packagesOf } from '#agent/os/packages/packages.ts'
import type { Machine } from './machine.ts'
import { HOST_KEY } from './programs/sshd.ts'

const BASE = ['nginx', 'mariadb-server', 'mariadb-client', 'cron', 'logrotate', 'ca-certificates']
const CODENAMES = { 12: 'bookworm', 13: 'trixie' }

/** The pid of each program, and its name in the kernel. */
const DAEMONS = [
  ['/run/nginx.pid', 11, 'nginx'],
  ['/run/mysqld/mysqld.pid', 12, 'mariadbd'],
  ['/run/crond.pid', 13, 'cron'],
] as const

/** One pid stands for all masters of a version of PHP. */
const phpPid = (php: string) => 8000 + Number(php.replace('.', '')) * 10

/** Of no server. */
const SERVER_KEY = 'AAAAC3NzaC1lZDI1NTE5AAAAIJKKKB6NaWhEc2RRm7JSMbQ8pZzBbjpYPDfyMoZ9bMUH'

/** Debian with everything installed and running, and no site on it. */
export function layOutSystem(machine: Machine): void {
  const { disk, plan } = machine
  const { debian, php, cores } = plan
  disk.putText('/etc/os-release', release(debian))
  disk.putText('/var/lib/dpkg/status', packages(php))
  disk.putText('/etc/passwd', 'root:x:0:0:root:/root:/bin/bash\nwww-data:x:33:33::/var/www:\n')
  disk.putText('/etc/group', 'root:x:0:\nsudo:x:27:\nwww-data:x:33:\n')
  disk.putText('/etc/nginx/nginx.conf', NGINX)
  for (const path of ['/usr/sbin/sshd', '/usr/bin/sftp', '/usr/bin/ssh']) disk.putText(path, '')
  disk.putText('/etc/ssh/sshd_config', 'Include /etc/ssh/sshd_config.d/*.conf\nUsePAM yes\n')
  disk.putText(`${HOST_KEY}.pub`, `ssh-ed25519 ${SERVER_KEY} root@${plan.hostname}\n`)
  disk.putText('/proc/cpuinfo', 'processor\t: 0\n'.repeat(cores))
  disk.putText('/proc/stat', () => machine.stat())
  disk.putText('/proc/loadavg', () => machine.loadavg())
  disk.putText('/proc/meminfo', () => machine.meminfo())
  disk.putText('/proc/uptime', () => machine.uptime())
  for (const [path, pid, name] of DAEMONS) {
    disk.putText(path, `${pid}\n`)
    disk.putText(`/usr/sbin/${name}`, '')
    disk.putText(`/proc/${pid}/status`, statusOf(name))
  }
  // As ps(1) shows nginx.
  disk.putText('/proc/11/cmdline', 'nginx: master process nginx -g daemon on;')
  disk.putText('/proc/11/status', `${statusOf('nginx')}Uid:\t0\t0\t0\t0\nNSpid:\t11\n`)
  for (const version of php) {
    disk.putText(`/usr/sbin/php-fpm${version}`, '')
    disk.putText(`/proc/${phpPid(version)}/status`, statusOf(`php-fpm${version}`))
    disk.put(`/etc/php/${version}/fpm/pool.d`, folder())
    for (const name of EXTENSIONS)
      disk.putText(`/etc/php/${version}/fpm/conf.d/20-${name}.ini`, `extension=${name}.so\n`)
  }
}

const EXTENSIONS = [
  ...['bcmath', 'curl', 'dom', 'exif', 'gd', 'imagick', 'intl', 'mbstring', 'mysqli'],
  ...['opcache', 'simplexml', 'soap', 'xml', 'zip'],
]

function release(debian: 12 | 13): string {
  const name = `Debian GNU/Linux ${debian} (${CODENAMES[debian]})`
  return `PRETTY_NAME="${name}"\nID=debian\nVERSION_ID="${debian}"\nVERSION_CODENAME=${CODENAMES[debian]}\n`
}

function packages(php: readonly string[]): string {
  const names = [...BASE, ...php.flatMap(packagesOf)]
  return names.map((name) => `Package: ${name}\nStatus: install ok installed\n`).join('\n')
}

/** Debian's configuration, as far as it determines the location of sites. */
const NGINX = `user www-data;
http {
    include /etc/nginx/conf.d/*.conf;
    include /etc/nginx/sites-enabled/*;
}
`
