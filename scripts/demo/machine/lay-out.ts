import { CLIENT_GROUP } from '#agent/features/access/clients.ts'
import { DROP_IN, SFTP_GROUP } from '#agent/features/access/paths.ts'
import { DROP_IN_TEXT } from '#agent/features/access/ssh/drop-in.ts'
import { renderUnattended, UNATTENDED_FILE } from '#agent/features/updates/unattended.ts'
import { folder, sharedFolder } from '#agent/kernel/host/simulated/nodes.ts'
import { statusOf } from '#agent/kernel/host/simulated/programs/services.ts'
import { SETTINGS } from '#agent/kernel/host/simulated/settings.ts'
import { packagesOf } from '#agent/kernel/packages/packages.ts'
import { isServed, type Role } from '#scripts/demo/fleet/plan.ts'
import { DAY_MS, HOUR_MS, stamp } from '#scripts/demo/time.ts'
import { coreFiles, NEWEST_CORE } from '#scripts/demo/wordpress.ts'
import type { Maintenance, PendingPackage } from '#shared/updates/maintenance.ts'
import { CORE_SHA1 } from './host.ts'
import { layOutMail } from './lay-out-mail.ts'
import { type Certificates, layOutForeign, layOutSite, layOutUnnamed } from './lay-out-site.ts'
import type { Machine } from './machine.ts'
import { groupadd, HOST_KEY } from './programs/sshd.ts'
import { filesIn } from './programs.ts'

/** The result of the creation of the newest site. */
const MAX_CONNECTIONS = 4000

/** Lays out a Debian with all its packages; the agent provisions it. */
export function layOutServer(machine: Machine): void {
  layOutSystem(machine)
  layOutCache(machine)
}

export function layOutSites(machine: Machine, certificates: Certificates): void {
  for (const site of machine.plan.sites) {
    if (site.place === 'missing' || site.place === 'failed') continue
    if (site.managed) layOutSite(machine, site, certificates)
    else layOutForeign(machine, site, certificates)
  }
  layOutUnnamed(machine)
  layOutMail(machine)
  layOutUsage(machine)
  layOutMaintenance(machine)
  layOutAccess(machine)
  machine.mariadb.admin('set_connections', [MAX_CONNECTIONS])
}

/** Lays out wp-cli and the newest WordPress, as an earlier operation has left them. */
function layOutCache({ disk, time }: Machine): void {
  disk.putText('/usr/local/lib/hosting/wp-cli.phar', '')
  disk.putText('/usr/local/lib/hosting/wp-cli.phar.sha512', SETTINGS.wp_cli_sha512)
  const cache = `${SETTINGS.state_dir}/cache/wordpress`
  disk.put(`${cache}/${NEWEST_CORE}`, sharedFolder(coreFiles(NEWEST_CORE)))
  const kept = { version: NEWEST_CORE, digest: CORE_SHA1, at: time.now() }
  disk.putText(`${cache}/latest.json`, JSON.stringify(kept))
}

const of = (security: boolean, ...names: string[]): PendingPackage[] =>
  names.map((name) => ({ name, installed: '1.0-1', candidate: '1.0-2', security }))

/** Pending updates of a server, by its problem. */
const PENDING: Partial<Record<Role, PendingPackage[]>> = {
  full: of(true, 'libssl3t64', 'openssl'),
  legacy: [...of(true, 'libc6', 'libssl3', 'openssl', 'libxml2'), ...of(false, 'tzdata')],
}

/** Lays out the result of the agent's last check, two hours ago. */
function layOutMaintenance(machine: Machine): void {
  const { disk, plan, time } = machine
  machine.pending = PENDING[plan.role] ?? []
  disk.putText('/usr/bin/unattended-upgrade', '')
  disk.putText('/var/lib/apt/lists/deb.debian.org_InRelease', '')
  if (plan.role !== 'legacy') disk.putText(UNATTENDED_FILE, renderUnattended(true))
  if (plan.role === 'legacy') disk.putText('/run/reboot-required', 'libc6\n')
  const maintenance = reportOf(machine, time.now())
  const kept = { maintenance, restarts: restartsOf(machine, time.now()), failed: {}, renewed: {} }
  disk.putText(`${SETTINGS.state_dir}/maintenance.json`, `${JSON.stringify(kept)}\n`, {
    mode: 0o600,
  })
}

function reportOf({ plan, pending }: Machine, now: number): Maintenance {
  const ago = (ms: number) => stamp(now - ms)
  const isLegacy = plan.role === 'legacy'
  return {
    checked_at: ago(2 * HOUR_MS),
    lists_at: ago(3 * HOUR_MS),
    packages: pending,
    packages_problem: '',
    reboot: { needed: isLegacy, reasons: isLegacy ? ['packages'] : [] },
    old_files: plan.role === 'full' ? [waiting(ago(DAY_MS))] : [],
    restarts: [],
    unattended: isLegacy
      ? { enabled: false, wanted: null, source: 'none', detail: '' }
      : { enabled: true, wanted: true, source: 'hosting-control', detail: '' },
    last_update: { at: ago(2 * DAY_MS), packages: ['php8.4-fpm', 'php8.4-cli', 'curl'] },
  }
}

const waiting = (since: string): Maintenance['old_files'][number] => ({
  name: 'mariadb',
  kind: 'service',
  domain: '',
  since,
  problem: 'A restart interrupts sites for some seconds: request it',
})

/** Returns a web server that was killed for lack of memory, and restarted each time. */
function restartsOf({ plan }: Machine, now: number) {
  const moments = plan.role === 'failed' ? [{ name: 'nginx', at: now - HOUR_MS / 4, count: 3 }] : []
  return { counts: {}, moments }
}

/** Lays out the agent's measurement of each site two hours ago, equal to that of the programs. */
function layOutUsage({ plan, time, disk, sizes, databases }: Machine): void {
  const measured_at = stamp(time.now() - 2 * HOUR_MS)
  const text = () => {
    const measured = plan.sites.filter(isServed).map(({ user }) => {
      const bytes = sizes.get(user) ?? 0
      const database_bytes = databases.get(user)?.bytes ?? 0
      return [user, { bytes, files: filesIn(bytes), database_bytes, measured_at }]
    })
    return `${JSON.stringify(Object.fromEntries(measured))}\n`
  }
  disk.putText(`${SETTINGS.state_dir}/usage.json`, text, { mode: 0o600 })
}

const BASE = ['nginx', 'mariadb-server', 'mariadb-client', 'cron', 'logrotate', 'ca-certificates']
const CODENAMES = { 12: 'bookworm', 13: 'trixie' }

/** The pid of each program, and its name in the kernel. */
const DAEMONS = [
  ['/run/nginx.pid', 11, 'nginx'],
  ['/run/mysqld/mysqld.pid', 12, 'mariadbd'],
  ['/run/crond.pid', 13, 'cron'],
] as const

/** Returns the pid that stands for all masters of a version of PHP. */
const phpPid = (php: string) => 8000 + Number(php.replace('.', '')) * 10

/** The key belongs to no server. */
const SERVER_KEY = 'AAAAC3NzaC1lZDI1NTE5AAAAIJKKKB6NaWhEc2RRm7JSMbQ8pZzBbjpYPDfyMoZ9bMUH'

/** Lays out a Debian with everything installed and running, and no site on it. */
function layOutSystem(machine: Machine): void {
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

/** This is Debian's configuration, as far as it determines the location of sites. */
const NGINX = `user www-data;
http {
    include /etc/nginx/conf.d/*.conf;
    include /etc/nginx/sites-enabled/*;
}
`

/** Lays out what stays of a client's account on a server: the groups and the settings of sshd. */
export function layOutAccess(machine: Machine): void {
  const { disk } = machine
  for (const group of [SFTP_GROUP, CLIENT_GROUP]) groupadd(machine, ['groupadd', group], {})
  disk.putText(DROP_IN, DROP_IN_TEXT)
}
