import type { RunOptions } from '#agent/host/ports.ts'
import { installed, runs } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import type { Things } from './deviations.ts'

const NOT_FILES =
  /^\/(proc\/|sys(\/|$)|run\/(nginx|mysqld|crond)|etc\/(passwd|group)$|var\/lib\/dpkg\/|.*\/operations|.*\/maintenance\.json$)/
const PLACES = [
  ...[
    '/etc/cron.d/',
    '/etc/logrotate.d/',
    '/sys/fs/cgroup/',
    '/etc/nginx/conf.d/',
    '/etc/nginx/sites-available/',
  ],
  ...['/etc/nginx/sites-enabled/', '/etc/systemd/system/', '/srv/', '/usr/local/lib/'],
  ...['/var/cache/', '/var/log/', '/run/'],
]
const UNITS: Record<string, string> = {
  '/run/nginx.pid': 'nginx.service',
  '/run/mysqld/mysqld.pid': 'mariadb.service',
  '/run/crond.pid': 'cron.service',
}

/** What a plan speaks of, as it is on a fake machine. */
export async function thingsOf(host: FakeHost): Promise<Things> {
  const things = new Map<string, string>()
  for (const [path, { kind, text, options }] of host.disk.nodes) {
    const unit = unitOf(path)
    if (unit) things.set(`service ${unit}`, '')
    if (NOT_FILES.test(path)) continue
    things.set(
      `${kindOf(path, kind)} ${path}`,
      kind === 'directory' ? '' : JSON.stringify([text, options]),
    )
  }
  await entries(host, things, 'user', '/etc/passwd', /^([^:]+):.*$/gm)
  await entries(host, things, 'group', '/etc/group', /^([^:]+):.*$/gm)
  await entries(host, things, 'package', '/var/lib/dpkg/status', /^Package: (\S+)$/gm)
  for (const name of host.databases) things.set(`database ${name}`, '')
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

/** The effects of programs that no code of the agent looks at afterwards. */
export function lifelike(host: FakeHost): FakeHost {
  withFolders(host)
  const { run, stream, try: attempt } = host.shell
  host.shell.run = async (argv, options?: RunOptions) => {
    const output = await run(argv, options)
    await effect(host, argv)
    return output
  }
  host.shell.stream = async function* (argv, options) {
    yield* stream(argv, options)
    if (argv[0] !== 'apt-get' || !argv.includes('install')) return
    const names = argv.slice(argv.indexOf('--no-install-recommends') + 1)
    const status = (await host.disk.read('/var/lib/dpkg/status')) ?? ''
    await host.disk.write('/var/lib/dpkg/status', `${status}\n${installed([...names, 'libmore'])}`)
  }
  host.shell.try = async (argv, options) => {
    const output = await attempt(argv, options)
    await writeConfig(host, argv, options?.input)
    if (!argv.includes('--simulate')) return output
    const names = argv.slice(argv.indexOf('--no-install-recommends') + 1)
    const lines = [...names, 'libmore'].map((name) => `Inst ${name} (1.0 Debian:12)`)
    return { ...output, stdout: lines.join('\n') }
  }
  return host
}

/** Folders that are there from the beginning, and those that come with what is put below them. */
function withFolders({ disk }: FakeHost): void {
  const folder = { kind: 'directory', text: '', options: {} } as const
  const above = (path: string) => {
    const parts = path.split('/')
    for (let most = 2; most < parts.length; most++) {
      const parent = parts.slice(0, most).join('/')
      if (!disk.nodes.has(parent)) disk.nodes.set(parent, folder)
    }
  }
  for (const path of [...disk.nodes.keys(), ...PLACES]) above(path)
  const { write, mkdir, link } = disk
  disk.write = async (path, ...rest) => {
    await write.call(disk, path, ...rest)
    above(path)
  }
  disk.mkdir = async (path, ...rest) => {
    await mkdir.call(disk, path, ...rest)
    above(path)
  }
  disk.link = async (target, path) => {
    await link.call(disk, target, path)
    above(path)
  }
}

/** `wp core install` writes the file that comes on its standard input first. */
async function writeConfig({ disk }: FakeHost, argv: readonly string[], config = '') {
  const docroot = argv.find((word) => word.startsWith('--path='))?.slice('--path='.length)
  if (argv.includes('core') && argv.includes('install'))
    await disk.write(`${docroot}/wp-config.php`, config)
}

async function effect(host: FakeHost, argv: readonly string[]): Promise<void> {
  const { disk } = host
  const line = argv.join(' ')
  const to = argv.at(-1) ?? ''
  if (line.startsWith('cp -r ')) await disk.write(`${to}index.php`, '')
  if (line.startsWith('find ')) await disk.remove(`${argv[1]}/page`)
  if (line.startsWith('usermod')) {
    const marked = `${to}:x:1001:1001:Site shop.example:/srv/www/${to}:${argv[2]}\n`
    const others = ((await disk.read('/etc/passwd')) ?? '').replace(
      new RegExp(`^${to}:.*\n`, 'm'),
      '',
    )
    await disk.write('/etc/passwd', others + marked)
  }
  if (line.includes('--signal HUP --pidfile /run/nginx.pid')) await caches(host)
  if (line === 'systemctl start nginx.service') runs(host, '/run/nginx.pid', 30, 'nginx')
  if (line === 'systemctl start mariadb.service')
    runs(host, '/run/mysqld/mysqld.pid', 31, 'mariadbd')
}

/** nginx makes the folders of its caches. */
async function caches({ disk }: FakeHost): Promise<void> {
  for (const { text } of [...disk.nodes.values()]) {
    const cache = /^fastcgi_cache_path (\S+)/m.exec(text)?.[1]
    if (cache) await disk.mkdir(cache)
  }
}

function kindOf(path: string, kind: string): string {
  if (kind === 'directory') return 'folder'
  return path.endsWith('.sock') ? 'socket' : kind
}

function unitOf(path: string): string | undefined {
  const [, unit] =
    /^\/sys\/fs\/cgroup\/.*\/(hosting-fpm@.+\.service)\/cgroup.procs$/.exec(path) ?? []
  return unit ?? UNITS[path]
}
