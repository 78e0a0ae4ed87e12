import type { Host } from '#tests/support/lab/index.ts'

/** The parts of a site on a machine; comparing two shows that nothing is left. */
export interface Snapshot {
  accounts: string[]
  files: string[]
  databases: string[]
  units: string[]
  processes: string[]
}

/** Paths that every operation writes to and that belong to no site. */
const KEPT = [
  '/var/lib/hosting-agent/operations',
  '/var/lib/hosting-agent/cache',
  '/var/lib/hosting-agent/bin',
  '/var/lib/hosting-agent/backups/hosting-check',
  '/var/lib/hosting-agent/reserve',
  '/var/lib/hosting-agent/usage.json',
  '/var/lib/hosting-agent/numbers.json',
  '/var/lib/hosting-agent/maintenance.json',
  '/var/lib/hosting-agent/logins.json',
  '/var/lib/hosting-agent/certificate-orders.json',
  '/var/lib/hosting-etc/new',
  '/var/lib/mysql',
  '/var/log/journal',
  '/var/log/nginx',
  '/var/log/apt',
  '/var/cache/apt',
  // Of Debian's daily jobs for packages, at 6 and 18 o'clock and at midnight.
  '/var/lib/apt/daily_lock',
  '/var/backups/apt.extended_states*',
  '/var/backups/dpkg.*',
  '/var/backups/alternatives.tar.*',
  '/tmp',
  '/var/tmp',
]

/** Folders of the agent, made with the first site and empty without one; passwd(5) backups. */
const EMPTY = [
  '/etc/hosting/fpm',
  '/etc/hosting/staging',
  '/etc/hosting/tls',
  '/run/hosting-fpm',
  '/srv/www',
  '/srv/www/.restore',
  '/srv/www/.trash',
  '/var/cache/hosting',
  '/var/log/hosting',
  '/var/lib/hosting-agent/backups',
  '/var/lib/hosting-agent/backups/.proof',
  '/var/lib/hosting-agent/canaries',
  '/var/lib/hosting-agent/proofs',
  '/var/lib/hosting-agent/sites',
  '/var/lib/hosting-agent/trash',
  '/var/lib/hosting-agent/purging',
  '/etc/subuid-',
  '/etc/subgid-',
]

/** A site's cron makes it at its first run, at any minute; it goes to the trash with the site. */
const CRON_LOCK = /^\/srv\/www\/(\w+|\.trash\/\w+\/home)\/tmp\/cron\.lock$/

const QUERY = `SELECT CONCAT('database ', schema_name) FROM information_schema.schemata
UNION SELECT CONCAT('user ', user, '@', host) FROM mysql.user
UNION SELECT CONCAT('grant ', user, '@', host, ' on ', db) FROM mysql.db`

const ACCOUNTS = ['passwd', 'group', 'shadow', 'gshadow', 'subuid', 'subgid'].map(
  (name) => `/etc/${name}`,
)
const ROOTS = ['/etc', '/srv', '/var', '/usr/local', '/home', '/run/hosting-fpm']
const UNITS = ['systemctl', 'list-units', '--all', '--plain', '--no-legend', 'hosting-*']
/**
 * Short-lived: processes that scan, measure or query, programs that systemd is about to start
 * (named in brackets until then, or by a descriptor), table checks after a start of MariaDB, and
 * Debian's job that removes old sessions of PHP, where cron starts it.
 */
const PASSING =
  /^nobody .* hosting-agent$|^root .* (ps|find|cat|grep|dpkg|sh|systemctl|journalctl|systemd-run|env|setpriv|unshare|apt.*|debian-start|logger|ss|tail|sessionclean|php[\d.]+|sort|sed|xargs|\d+)$| (kworker.*|systemd.*|\([^ ]+\)|du)$/

export async function snapshot(host: Host): Promise<Snapshot> {
  const lines = async (argv: string[], input?: string) => {
    const { stdout } = await host.exec(argv, input === undefined ? {} : { input })
    return [...new Set(stdout.split('\n').filter(Boolean))].sort()
  }
  const prune = KEPT.flatMap((path) => ['-path', path, '-prune', '-o'])
  const files = await lines(['find', ...ROOTS, ...prune, '-print'])
  const running = await lines(['ps', '-eo', 'user:40,comm:16,cgroup:200', '--no-headers'])
  // A site's jobs run at any minute, the copy of /etc at changes of accounts, Debian's job twice an hour.
  const others = running.filter(
    (line) => !/\/(hosting-(cron@|etc[.-])|phpsessionclean\.)/.test(line),
  )
  const processes = [...new Set(others.map((line) => line.slice(0, 57).trimEnd()))]
  return {
    accounts: await lines(['cat', ...ACCOUNTS]),
    files: files.filter((path) => !EMPTY.includes(path) && !CRON_LOCK.test(path)),
    databases: await lines(['mariadb', '--batch', '--skip-column-names'], QUERY),
    units: (await lines(UNITS))
      .filter((line) => !/^hosting-(scan-|etc[.-])/.test(line))
      .map(withoutRuns),
    processes: processes.filter((line) => !PASSING.test(line)),
  }
}

/** The jobs of a site run at any minute; the columns are as wide as the longest name of a unit. */
function withoutRuns(line: string): string {
  const words = line.split(/\s+/)
  return words[0]?.startsWith('hosting-cron@') ? words.slice(0, 2).join(' ') : words.join(' ')
}
