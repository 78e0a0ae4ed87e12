import { serverProvision } from '#agent/features/servers/server.provision.ts'
import { siteCreate } from '#agent/features/sites/site.create.ts'
import type { Output, RunOptions } from '#agent/kernel/host/ports.ts'
import type { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { done, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { dropIn } from '#agent/kernel/host/simulated/programs/php.ts'
import { moveEach, PROGRAMS } from '#agent/kernel/host/simulated/programs/programs.ts'
import { statusOf } from '#agent/kernel/host/simulated/programs/services.ts'
import { performSteps } from '#agent/kernel/operations/steps.ts'
import { packagesOf } from '#agent/kernel/packages/packages.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Progress, RunContext } from '#agent/kernel/steps/command.ts'
import { DumpRewriter } from '#agent/programs/rewrite/dump.ts'
import { RewriteRequest } from '#agent/programs/rewrite/request.ts'
import type { Warning } from '#shared/servers/agent.ts'
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
  const { state_dir, wp_cli_sha512, restic_sha256 } = host.settings
  const kept = { version: '7.1.1', digest: '0'.repeat(40), at: host.time }
  await host.disk.write('/usr/local/lib/hosting/wp-cli.phar', '')
  await host.disk.write('/usr/local/lib/hosting/wp-cli.phar.sha512', wp_cli_sha512)
  await host.disk.write(`${state_dir}/bin/restic`, '')
  await host.disk.write(`${state_dir}/bin/restic.sha256`, restic_sha256)
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
  const write = (path: string, text: string) => host.disk.putText(path, text)
  write('/etc/os-release', 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\nVERSION_ID="12"\n')
  write('/var/lib/dpkg/status', installed(PACKAGES))
  write('/etc/passwd', PASSWD)
  write('/etc/group', GROUP)
  write('/etc/shadow', 'root:*:::::::\n')
  write('/proc/meminfo', 'MemTotal:        8388608 kB\n')
  write('/proc/cpuinfo', 'processor\t: 0\nprocessor\t: 1\n')
  write('/usr/sbin/php-fpm8.2', '')
  write('/usr/sbin/nginx', '')
  write('/usr/sbin/mariadbd', '')
  startDaemons(host.disk)
  host.answer('du ', '8192\t/var/lib/mysql/shop\n')
  host.answer('du --summarize --total ', '8192\ttotal\n')
  host.answer('mariadb --no-defaults', listOfTables('wp_options'))
  host.fail('nginx -v', 'nginx version: nginx/1.22.1', 0)
  host.table = { ...TABLE }
  return host
}

/** dpkg's records of installed packages. */
export function installed(names: readonly string[]): string {
  return names.map((name) => `Package: ${name}\nStatus: install ok installed\n`).join('\n')
}

/** Starts nginx, MariaDB and cron. */
export function startDaemons(disk: Disk): void {
  runs(disk, '/run/nginx.pid', 11, 'nginx')
  runs(disk, '/run/mysqld/mysqld.pid', 12, 'mariadbd')
  runs(disk, '/run/crond.pid', 13, 'cron')
}

/** A program with its pid file. */
export function runs(disk: Disk, pidFile: string, pid: number, name: string): void {
  disk.putText(pidFile, `${pid}\n`)
  disk.putText(`/proc/${pid}/status`, statusOf(name))
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

/** Runs a part of a command to its end: its lines, and an empty result or the message of its error. */
export const performed = (part: () => Progress<unknown> | Promise<Progress<unknown>>) =>
  outcome(
    (async function* () {
      yield* await part()
      return {}
    })(),
  )

/** Runs steps as the runner does, without a journal. */
export const contextOf = (host: FakeHost, warnings: Warning[] = []): RunContext => ({
  host,
  announce: () => undefined,
  perform: (steps) => performSteps(steps, async () => undefined),
  warn: (warning) => void warnings.push(warning),
})

/** The answer of the client to the query for the tables of a database. */
export const listOfTables = (...names: string[]): string =>
  [...names.map((name) => Buffer.from(name).toString('hex')), 'end', ''].join('\n')

const DUMP = 'CREATE TABLE x\n-- Dump completed\n'

/** Programs whose effects the agent reads afterwards. */
const TABLE: FakeHost['table'] = {
  ...PROGRAMS,
  xargs({ disk }, argv, options) {
    const { output_file } = options
    if (argv.includes('mv')) return moveEach({ disk }, argv, options)
    if (!output_file) return printed(DUMP)
    disk.putText(output_file, DUMP, { mode: 0o600 })
    return done()
  },
  'hosting-agent': (host, argv, options) =>
    argv[1] === 'rewrite' ? rewrite(host, options) : PROGRAMS['hosting-agent'](host, argv, options),
}

/** `hosting-agent rewrite`, as the agent calls it. */
function rewrite({ disk }: FakeHost, { input = '', output_file }: RunOptions): Output {
  const [request = '{}', ...lines] = input.split('\n')
  const parts: Buffer[] = []
  const rewriter = new DumpRewriter(RewriteRequest.parse(JSON.parse(request)), (bytes) =>
    parts.push(Buffer.from(bytes)),
  )
  rewriter.push(Buffer.from(lines.join('\n').replace(/^(CREATE TABLE \w+)$/m, '$1;')))
  const report = rewriter.end()
  const dump = Buffer.concat(parts).toString()
  if (output_file) disk.putText(output_file, dump, { mode: 0o600 })
  return { code: 0, stdout: output_file ? '' : dump, stderr: `${JSON.stringify(report)}\n` }
}

/** `wp core install` writes the file from its standard input first. */
export const wpCli: FakeHost['table'][string] = ({ disk }, argv, { input = '' }) => {
  const found = dropIn(disk, argv)
  if (found) return found
  const docroot = argv.find((word) => word.startsWith('--path='))?.slice('--path='.length)
  if (argv.includes('core') && argv.includes('install'))
    disk.putText(`${docroot}/wp-config.php`, input)
  return done()
}
