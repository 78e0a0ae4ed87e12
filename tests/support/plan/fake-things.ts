import { type Node, textOf } from '#agent/host/simulated/nodes.ts'
import { done, printed } from '#agent/host/simulated/programs/output.ts'
import { installed, runs, wpCli } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import type { Things } from './deviations.ts'

const NOT_FILES =
  /^\/(proc\/|sys(\/|$)|run\/(nginx|mysqld|crond)|etc\/(passwd|group|shadow)$|var\/lib\/dpkg\/|.*\/operations|.*\/maintenance\.json$)/
const UNITS: Record<string, string> = {
  '/run/nginx.pid': 'nginx.service',
  '/run/mysqld/mysqld.pid': 'mariadb.service',
  '/run/crond.pid': 'cron.service',
}

/** The things of a plan on a fake machine. */
export async function thingsOf(host: FakeHost): Promise<Things> {
  const things = new Map<string, string>()
  for (const [path, node] of host.disk.walk()) {
    const unit = unitOf(path)
    if (unit) things.set(`service ${unit}`, '')
    if (NOT_FILES.test(path)) continue
    things.set(`${kindOf(path, node)} ${path}`, contentOf(node))
  }
  await entries(host, things, 'user', '/etc/passwd', /^([^:]+):.*$/gm)
  await entries(host, things, 'user', '/etc/shadow', /^([^:]+):.*$/gm)
  await entries(host, things, 'group', '/etc/group', /^([^:]+):.*$/gm)
  await entries(host, things, 'package', '/var/lib/dpkg/status', /^Package: (\S+)$/gm)
  for (const name of host.databases.keys()) things.set(`database ${name}`, '')
  for (const [user, account] of host.mariadb.accounts)
    things.set(`account ${user}@localhost`, JSON.stringify(account))
  for (const line of host.ran) noteWpCli(things, line)
  return things
}

function noteWpCli(things: Map<string, string>, line: string): void {
  const [, user] = /--path=\/srv\/www\/([^/]+)\/public /.exec(line) ?? []
  const key = `database ${user}`
  if (things.has(key)) things.set(key, `${things.get(key)} wp-cli`)
}

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

/** Adds effects of programs that no code of the agent reads back. */
export function lifelike(host: FakeHost): FakeHost {
  const { stream } = host.shell
  const { systemctl = done } = host.table
  host.table = {
    ...host.table,
    php: wpCli,
    find({ disk }, argv) {
      disk.drop(`${argv[1]}/page`)
      return done()
    },
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
  const [, unit] =
    /^\/sys\/fs\/cgroup\/.*\/(hosting-fpm@.+\.service)\/cgroup.procs$/.exec(path) ?? []
  return unit ?? UNITS[path]
}
