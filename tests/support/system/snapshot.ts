import type { Host } from '#tests/support/lab/index.ts'

/** What a site consists of on a machine; two of them are compared to see that nothing is left. */
export interface Snapshot {
  accounts: string[]
  files: string[]
  databases: string[]
  units: string[]
  processes: string[]
}

/** Places that every operation writes to and that belong to no site. */
const KEPT = [
  '/var/lib/hosting-agent/operations',
  '/var/lib/hosting-agent/cache',
  '/var/lib/hosting-agent/reserve',
  '/var/lib/mysql',
  '/var/log/journal',
  '/var/log/nginx',
  '/var/log/apt',
  '/var/cache/apt',
  '/tmp',
  '/var/tmp',
]

/** Folders of the agent, made with the first site and empty without one; passwd(5) backups. */
const EMPTY = [
  '/etc/hosting/fpm',
  '/etc/hosting/tls',
  '/run/hosting-fpm',
  '/srv/www',
  '/srv/www/.trash',
  '/var/cache/hosting',
  '/var/log/hosting',
  '/var/lib/hosting-agent/sites',
  '/var/lib/hosting-agent/trash',
  '/var/lib/hosting-agent/purging',
  '/etc/subuid-',
  '/etc/subgid-',
]

/** Which a site's cron makes when it first runs, at any minute; it goes to the trash with the site. */
const CRON_LOCK = /^\/srv\/www\/(\w+|\.trash\/\w+\/home)\/tmp\/cron\.lock$/

const QUERY = `SELECT CONCAT('database ', schema_name) FROM information_schema.schemata
UNION SELECT CONCAT('user ', user, '@', host) FROM mysql.user
UNION SELECT CONCAT('grant ', user, '@', host, ' on ', db) FROM mysql.db`

const ACCOUNTS = ['passwd', 'group', 'shadow', 'gshadow', 'subuid', 'subgid'].map(
  (name) => `/etc/${name}`,
)
const ROOTS = ['/etc', '/srv', '/var', '/usr/local', '/home', '/run/hosting-fpm']
const UNITS = ['systemctl', 'list-units', '--all', '--plain', '--no-legend', 'hosting-*']
/** Come and go by themselves; the last two check the tables after MariaDB has started. */
const PASSING =
  /^root .* (ps|find|cat|sh|systemctl|systemd-run|setpriv|apt.*|debian-start|logger)$| (kworker.*|systemd.*|\(sd-pam\))$/

export async function snapshot(host: Host): Promise<Snapshot> {
  const lines = async (argv: string[], input?: string) => {
    const { stdout } = await host.exec(argv, input === undefined ? {} : { input })
    return [...new Set(stdout.split('\n').filter(Boolean))].sort()
  }
  const prune = KEPT.flatMap((path) => ['-path', path, '-prune', '-o'])
  const files = await lines(['find', ...ROOTS, ...prune, '-print'])
  const processes = await lines(['ps', '-eo', 'user:40,comm', '--no-headers'])
  return {
    accounts: await lines(['cat', ...ACCOUNTS]),
    files: files.filter((path) => !EMPTY.includes(path) && !CRON_LOCK.test(path)),
    databases: await lines(['mariadb', '--batch', '--skip-column-names'], QUERY),
    units: await lines(UNITS),
    processes: processes.filter((line) => !PASSING.test(line)),
  }
}
