import { type Node, textOf } from '#agent/kernel/host/simulated/nodes.ts'
import { done, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { installed, runs, wpCli } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import type { Things } from './deviations.ts'

const NOT_FILES =
  /^\/(proc\/|sys(\/|$)|run\/(nginx|mysqld|crond)|etc\/(passwd|group|shadow)$|srv\/www\/[^/]+\/tmp\/logins$|var\/lib\/dpkg\/|.*\/operations|.*\/(maintenance|certificate-orders)\.json$)/
const LOGIN = /^\/srv\/www\/([^/]+)\/tmp\/logins\/[\da-f]{64}$/
const NGINX_CONF = '/etc/nginx/nginx.conf'
const UNITS: Record<string, string> = {
  '/run/nginx.pid': 'nginx.service',
  '/run/mysqld/mysqld.pid': 'mariadb.service',
  '/run/crond.pid': 'cron.service',
}

/** The things of a plan on a fake machine. */
export async function thingsOf(host: FakeHost): Promise<Things> {
  const things = new Map<string, string>()
  for (const [path, node] of host.disk.walk()) notePath(host, things, path, node)
  await entries(host, things, 'user', '/etc/passwd', /^([^:]+):.*$/gm)
  shadows(host, things)
  noteSockets(host, things)
  await entries(host, things, 'group', '/etc/group', /^([^:]+):.*$/gm)
  await entries(host, things, 'package', '/var/lib/dpkg/status', /^Package: (\S+)$/gm)
  for (const name of host.databases.keys()) things.set(`database ${name}`, '')
  for (const [user, account] of host.mariadb.accounts)
    things.set(`account ${user}@localhost`, JSON.stringify(account))
  for (const { user } of await host.database.admin('list_temporary_accounts'))
    things.set(`account ${user}@localhost`, '')
  for (const run of host.runs) noteClient(things, run)
  return things
}

function notePath(host: FakeHost, things: Map<string, string>, path: string, node: Node): void {
  const unit = unitOf(path)
  if (unit) things.set(`service ${unit}`, '')
  const [, user] = LOGIN.exec(path) ?? []
  if (user !== undefined) things.set(`login ${domainOf(host, user)}`, '')
  else if (!NOT_FILES.test(path)) things.set(`${kindOf(path, node)} ${path}`, contentOf(node))
}

/** Programs that change the database of a site; what events of the site do is its own. */
const CLIENTS = [
  /--path=\/srv\/www\/([^/]+)\/public (?!cron event )/,
  /^mariadb .* --binary-mode .* -- (\S+)$/,
]

function noteClient(
  things: Map<string, string>,
  { line, options }: FakeHost['runs'][number],
): void {
  // It admits a login.
  if (options.input?.includes('/tmp/logins')) return
  for (const client of CLIENTS) {
    const key = `database ${client.exec(line)?.[1]}`
    if (things.has(key)) things.set(key, `${things.get(key)} changed`)
  }
}

/** Other programs change a password than an account: it counts for itself. */
function shadows({ disk }: FakeHost, things: Map<string, string>): void {
  for (const line of (disk.text('/etc/shadow') ?? '').split('\n')) {
    const [name, hash = '', ...rest] = line.split(':')
    const user = things.get(`user ${name}`)
    if (user !== undefined) things.set(`user ${name}`, [user, ...rest].join(':'))
    if (hash.startsWith('$')) things.set(`password ${name}`, hash)
  }
}

/** The comment of a user has it. */
const domainOf = ({ disk }: FakeHost, user: string) =>
  new RegExp(`^${user}:(?:[^:]*:){3}[^:]*?([^ :]+):`, 'm').exec(disk.text('/etc/passwd') ?? '')?.[1]

async function entries(
  { disk }: FakeHost,
  things: Map<string, string>,
  kind: string,
  path: string,
  pattern: RegExp,
): Promise<void> {
  const text = (await disk.read(path)) ?? ''
  for (const [line, name] of text.matchAll(pattern)) things.set(`${kind} ${name}`, line)
}

/** find(1) empties a page cache. */
export function emptying(host: FakeHost): FakeHost {
  host.table.find = ({ disk }, argv) => {
    if (!argv.includes('-delete')) return done()
    const files = [...disk.walk()].filter(([, { kind }]) => kind === 'file')
    for (const [path] of files) if (path.startsWith(`${argv[1]}/`)) disk.drop(path)
    return done()
  }
  return host
}

/** Adds effects of programs that no code of the agent reads back. */
export function lifelike(host: FakeHost): FakeHost {
  const { stream } = host.shell
  const { systemctl = done } = emptying(host).table
  host.table = {
    ...host.table,
    php: wpCli,
    'start-stop-daemon'(_, argv) {
      if (argv.includes('/run/nginx.pid')) caches(host)
      return done()
    },
    'apt-get': (_, argv) => (argv.includes('--simulate') ? printed(installing(argv)) : done()),
    systemctl(machine, argv, options) {
      const daemon = DAEMONS[argv.slice(1).join(' ')]
      if (daemon) runs(host.disk, ...daemon)
      return systemctl(machine, argv, options)
    },
  }
  host.shell.stream = async function* (argv, options) {
    yield* stream(argv, options)
    if (argv[0] !== 'apt-get' || !argv.includes('install')) return
    const names = argv.slice(argv.indexOf('--no-install-recommends') + 1)
    const status = (await host.disk.read('/var/lib/dpkg/status')) ?? ''
    await host.disk.write('/var/lib/dpkg/status', `${status}\n${installed([...names, 'libmore'])}`)
    if (names.includes('nginx')) await host.disk.write(NGINX_CONF, 'worker_connections 768;')
  }
  return host
}

const DAEMONS: Record<string, readonly [pid_file: string, pid: number, name: string]> = {
  'start nginx.service': ['/run/nginx.pid', 30, 'nginx'],
  'start mariadb.service': ['/run/mysqld/mysqld.pid', 31, 'mariadbd'],
}

function installing(argv: readonly string[]): string {
  const names = argv.slice(argv.indexOf('--no-install-recommends') + 1)
  return [...names, 'libmore'].map((name) => `Inst ${name} (1.0 Debian:12)`).join('\n')
}

/** nginx creates its cache folders. */
function caches({ disk }: FakeHost): void {
  for (const [, node] of [...disk.walk()]) {
    const text = node.kind === 'file' ? textOf(node) : ''
    const cache = /^fastcgi_cache_path (\S+)/m.exec(text)?.[1]
    if (cache) disk.putFolder(cache)
  }
}

function contentOf(node: Node): string {
  if (node.kind === 'directory') return ''
  return JSON.stringify([node.kind === 'file' ? textOf(node) : node.target, node.options])
}

function kindOf(path: string, { kind }: Node): string {
  if (kind === 'directory') return 'folder'
  return path.endsWith('.sock') ? 'socket' : kind
}

function unitOf(path: string): string | undefined {
  const [, unit] = /^\/sys\/fs\/cgroup\/.*\/(hosting-.+\.service)\/cgroup.procs$/.exec(path) ?? []
  return unit ?? UNITS[path]
}

/** A socket unit is active while its socket exists; that of PHP-FPM belongs to the service. */
function noteSockets({ disk }: FakeHost, things: Map<string, string>): void {
  for (const name of disk.names('/etc/systemd/system')) {
    const text = /^(?!hosting-fpm@).*\.socket$/.test(name)
      ? disk.text(`/etc/systemd/system/${name}`)
      : ''
    const [, path] = /^Listen(?:Stream|Datagram)=(\/.+)$/m.exec(text ?? '') ?? []
    if (path !== undefined && disk.find(path)) things.set(`service ${name}`, '')
  }
}
