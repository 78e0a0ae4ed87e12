import { serverProvision } from '#agent/commands/server.provision.ts'
import { siteCreate } from '#agent/commands/site.create.ts'
import type { RunOptions } from '#agent/host/ports.ts'
import { performSteps } from '#agent/operations/steps.ts'
import { packagesOf } from '#agent/os/packages/packages.ts'
import { socketOf } from '#agent/os/php/fpm-files.ts'
import { sliceOf } from '#agent/os/services/systemd.ts'
import type { Site } from '#agent/os/site/sites.ts'
import type { Context, Progress } from '#agent/steps/command.ts'
import type { Warning } from '#shared/agent.ts'
import { FakeHost } from '#tests/support/fake-host.ts'

const PACKAGES = [
  ...['nginx', 'mariadb-server', 'mariadb-client', 'cron', 'logrotate', 'ca-certificates'],
  ...packagesOf('8.2'),
]
const PASSWD = 'root:x:0:0:root:/root:/bin/bash\nwww-data:x:33:33:www-data:/var/www:/bin/false\n'
const GROUP = 'root:x:0:\nsudo:x:27:\nwww-data:x:33:\n'

/** A provisioned server with a WordPress in its cache, and a site when one is given. */
export async function server(site?: Site): Promise<FakeHost> {
  const host = debian()
  const { state_dir, wp_cli_sha512 } = host.settings
  const kept = { version: '7.1.1', sha1: '0'.repeat(40), at: host.time }
  await host.disk.write('/usr/local/lib/hosting/wp-cli.phar', '')
  await host.disk.write('/usr/local/lib/hosting/wp-cli.phar.sha512', wp_cli_sha512)
  await host.disk.write(`${state_dir}/cache/wordpress/7.1.1/index.php`, '')
  await host.disk.write(`${state_dir}/cache/wordpress/latest.json`, JSON.stringify(kept))
  await outcome(serverProvision.run({ php_versions: [] }, contextOf(host)))
  if (site) {
    host.pages.set(`http://${site.domain}/`, `<a href="http://${site.domain}/">`)
    const [, result] = await outcome(siteCreate.run(site, contextOf(host)))
    if (typeof result === 'string') throw new Error(result)
  }
  host.runs.length = 0
  host.queries.length = 0
  return host
}

export const shop: Site = {
  domain: 'shop.example',
  php: '8.2',
  tier: 'small',
  tls: 'none',
  email: 'anna@shop.example',
  user: 'shop',
}

/** Debian 12 with everything installed and running, and nothing configured. */
export function debian(host = new FakeHost()): FakeHost {
  const write = (path: string, text: string) => void host.disk.write(path, text)
  write('/etc/os-release', 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\nVERSION_ID="12"\n')
  write('/var/lib/dpkg/status', installed(PACKAGES))
  write('/etc/passwd', PASSWD)
  write('/etc/group', GROUP)
  write('/proc/meminfo', 'MemTotal:        8388608 kB\n')
  write('/proc/cpuinfo', 'processor\t: 0\nprocessor\t: 1\n')
  write('/usr/sbin/php-fpm8.2', '')
  write('/usr/sbin/nginx', '')
  write('/usr/sbin/mariadbd', '')
  runs(host, '/run/nginx.pid', 11, 'nginx')
  runs(host, '/run/mysqld/mysqld.pid', 12, 'mariadbd')
  runs(host, '/run/crond.pid', 13, 'cron')
  host.answer('du ', '8192\t/var/lib/mysql/shop\n')
  host.answer('du --summarize --total ', '8192\ttotal\n')
  host.answer('mariadb --no-defaults', `${Buffer.from('wp_options').toString('hex')}\n`)
  host.fail('nginx -v', 'nginx version: nginx/1.22.1', 0)
  follow(host)
  return host
}

/** What dpkg writes of packages that are installed. */
export function installed(names: readonly string[]): string {
  return names.map((name) => `Package: ${name}\nStatus: install ok installed\n`).join('\n')
}

/** A program with its pid file. */
export function runs(host: FakeHost, pidFile: string, pid: number, name: string): void {
  void host.disk.write(pidFile, `${pid}\n`)
  void host.disk.write(
    `/proc/${pid}/status`,
    `Name:\t${name}\nUmask:\t0022\nState:\tS (sleeping)\n`,
  )
}

/** Runs a command to its end: its lines, and its result or the message of its error. */
export async function outcome(work: Progress<object>): Promise<[string[], object | string]> {
  const lines: string[] = []
  try {
    for (;;) {
      const { value, done } = await work.next()
      if (done) return [lines, value]
      if (typeof value === 'string') lines.push(value)
    }
  } catch (error) {
    return [lines, error instanceof Error ? error.message : String(error)]
  }
}

/** Steps as the runner performs them, without a journal. */
export const contextOf = (host: FakeHost, warnings: Warning[] = []): Context => ({
  host,
  announce: () => undefined,
  perform: (steps) => performSteps(steps, async () => undefined),
  warn: (warning) => void warnings.push(warning),
})

const DUMP = 'CREATE TABLE …\n-- Dump completed\n'

/** The programs whose effects the agent looks at afterwards. */
function follow(host: FakeHost): void {
  const { run } = host.shell
  host.shell.run = async (argv, options?: RunOptions) => {
    const output = await run(argv, options)
    await effect(host, argv, options)
    return argv[0] === 'tail' ? { ...output, stdout: await endOf(host, argv.at(-1)) } : output
  }
}

const endOf = async ({ disk }: FakeHost, path = '') => (await disk.read(path))?.slice(-100) ?? ''

async function effect(
  host: FakeHost,
  argv: readonly string[],
  options: RunOptions = {},
): Promise<void> {
  const [program = '', verb = ''] = argv
  const last = argv.at(-1) ?? ''
  const { disk } = host
  if (program === 'useradd') {
    const comment = argv[argv.indexOf('--comment') + 1]
    await disk.append('/etc/passwd', `${last}:x:1001:1001:${comment}:/srv/www/${last}:\n`)
    await disk.append('/etc/group', `${last}:x:1001:\n`)
  }
  if (program === 'userdel') await withoutUser(host, last)
  if (program === 'gpasswd') await admit(host, argv)
  if (program === 'rm') await disk.remove(last)
  const { output_file } = options
  if (output_file) await disk.write(output_file, DUMP, { mode: 0o600 })
  const [, user, php = ''] = /^hosting-fpm@(.+)-(?:php)?(\d\.\d)\.service$/.exec(last) ?? []
  if (program !== 'systemctl' || user === undefined || verb === 'reload') return
  const processes = `/sys/fs/cgroup/hosting.slice/${sliceOf(user)}/${last}/cgroup.procs`
  if (verb === 'stop') await disk.remove(processes)
  else {
    await disk.write(socketOf({ user, php }), '')
    runs(host, processes, 20, 'php-fpm8.2')
  }
}

/** `gpasswd --add <user> <group>` */
async function admit({ disk }: FakeHost, argv: readonly string[]): Promise<void> {
  const [user = '', group = ''] = argv.slice(-2)
  const groups = (await disk.read('/etc/group')) ?? ''
  await disk.write(
    '/etc/group',
    groups.replace(new RegExp(`^(${group}:x:\\d+:)$`, 'm'), `$1${user}`),
  )
}

async function withoutUser({ disk }: FakeHost, user: string): Promise<void> {
  for (const path of ['/etc/passwd', '/etc/group']) {
    const lines = ((await disk.read(path)) ?? '').split('\n')
    await disk.write(path, lines.filter((line) => !line.startsWith(`${user}:`)).join('\n'))
  }
}
