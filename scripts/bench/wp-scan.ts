import { deepStrictEqual } from 'node:assert'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { scanning } from '#agent/kernel/host/real/scanning.ts'
import { answersOf, type Scanner } from '#agent/kernel/host/scanner-port.ts'
import { draftIn } from '#scripts/lib/draft.ts'
import { fail } from '#scripts/lib/fail.ts'
import { must } from '#scripts/lib/run.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import type { Extension, Inventory } from '#shared/kernel/inventory.ts'
import { polled } from '#tests/support/lab/wait.ts'
import { report } from './lib/figure.ts'
import { median, timed } from './lib/measure.ts'

const PROMISED = 200
const RUNS = { native: 200, wp_cli: 3 }

/**
 * Scans one real WordPress with wp-cli and with the agent's scan process, in the same run. Exits
 * with status 1 if the answers differ or if the process is less than 200 times faster. Needs root,
 * PHP-CLI with mysqli, and MariaDB's programs. Not below /tmp, which the process cannot see.
 */
async function bench(site: BenchSite): Promise<void> {
  const init = existsSync('/run/systemd/system') ? 'systemd' : 'direct'
  const scanner = answersOf(scanning({ init, privileged: true, socket: site.socket }))
  const start = await timed(() => scan(scanner, site))
  console.log(`start    ${start.toFixed(0)} ms until the first answer`)
  deepStrictEqual(await scan(scanner, site), await wpCliInventory(site.wp))
  const wp_cli = await medianOf(RUNS.wp_cli, () => wpCliInventory(site.wp))
  const native = await medianOf(RUNS.native, () => scan(scanner, site))
  const { plugins, themes } = await scan(scanner, site)
  const ratio = wp_cli / native
  console.log(
    `site     ${plugins.length} plugins, ${themes.length} themes; the answers are the same`,
  )
  console.log(`wp-cli   ${wp_cli.toFixed(0)} ms for four commands (median of ${RUNS.wp_cli})`)
  console.log(`scan     ${native.toFixed(2)} ms (median of ${RUNS.native})`)
  console.log(`ratio    ${ratio.toFixed(0)} (promised: ${PROMISED})`)
  report({
    ...{ name: 'wp-cli takes', unit: 'ms', ours: native, against: wp_cli, ratio },
    at_least: PROMISED,
  })
  if (ratio < PROMISED) throw new Error(`the scan is less than ${PROMISED} times faster`)
}

/** Everything after the command knows the domain: the user, wp-config.php, files, one SELECT. */
async function scan(scanner: Scanner, { docroot }: BenchSite) {
  const scanned = await scanner.inventory({ docroot })
  if (!scanned) throw new Error(`${docroot} cannot be opened`)
  return scanned.inventory
}

async function medianOf(runs: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < runs; run++) times.push(await timed(work))
  return median(times)
}

async function main(): Promise<void> {
  await using folder = await draftIn('/srv', 'wp-scan-')
  // MariaDB runs as its own user.
  await chmod(folder.path, 0o755)
  const site = await makeSite(folder.path)
  await bench(site).finally(site.stop)
}

interface Listed {
  name: string
  title: string
  status: string
  version: string
  update: string
  update_version: string | null
}

/** The four commands of a usual scan; the first one does not load WordPress. */
const SCAN: readonly (readonly string[])[] = [
  ['core', 'version'],
  list('plugin'),
  list('theme'),
  ['core', 'check-update', '--format=json', '--field=version'],
]

function list(kind: string): string[] {
  const fields = '--fields=name,title,status,version,update,update_version'
  return [kind, 'list', '--skip-update-check', '--format=json', fields]
}

/** wp-cli's output in the form of our answers, without must-use plugins and drop-ins. */
async function wpCliInventory(wp: BenchSite['wp']): Promise<Inventory> {
  const [version = '', plugins = '', themes = '', core = ''] = await inTurn(wp)
  const updates = JSON.parse(core || '[]') as string[]
  const core_update = updates[0] ?? null
  const extensions = { plugins: ours(plugins), themes: ours(themes) }
  const count = (found: Extension[]) => found.filter(({ update }) => update !== null).length
  return {
    wp_version: version.trim(),
    ...extensions,
    core_update,
    updates: {
      plugins: count(extensions.plugins),
      themes: count(extensions.themes),
      core: core_update !== null,
    },
  }
}

async function inTurn(wp: BenchSite['wp']): Promise<string[]> {
  const outputs: string[] = []
  for (const args of SCAN) outputs.push(await wp(...args))
  return outputs
}

function ours(json: string): Extension[] {
  return (JSON.parse(json) as Listed[])
    .filter(({ status }) => status !== 'must-use' && status !== 'dropin')
    .map(({ name, title, status, version, update, update_version }) => ({
      slug: name,
      name: title,
      version,
      active: status !== 'inactive',
      update: update === 'available' ? update_version : null,
    }))
    .sort((one, other) => (one.slug < other.slug ? -1 : 1))
}

/** The number of added plugins; a usual site has about twenty. */
const PLUGINS = 16

/** Files that turn a fresh site into a usual one, with each special case of a scan. */
async function addExtras(docroot: string): Promise<void> {
  const content = join(docroot, 'wp-content')
  for (const [path, text] of Object.entries(EXTRAS)) await put(join(content, path), text)
  for (let number = 1; number <= PLUGINS; number++) {
    const folder = join(content, `plugins/extra-${number}`)
    await put(join(folder, `extra-${number}.php`), header(`Extra ${number}`, `1.${number}`))
    await put(join(folder, 'uninstall.php'), '<?php\nexit;\n')
    await put(join(folder, 'includes/class-extra.php'), header('Too deep', '9.9'))
  }
}

const header = (name: string, version: string) =>
  `<?php\n/**\n * Plugin Name: ${name}\n * Version: ${version}\n * Description: One of many.\n */\n`

const EXTRAS: Record<string, string> = {
  'plugins/single.php': header('Single file', '2.0'),
  'plugins/index.php': '<?php\n// Silence is golden.\n',
  'plugins/mac/mac.php': "<?php\r/*\rPlugin Name: Café d'été\rVersion: 3.1\r*/\r",
  'plugins/one-line/one-line.php': '<?php /* Plugin Name: One line */ // Version: none\n',
  'plugins/pair/first.php': header('First of two', '1.0'),
  'plugins/pair/second.php': header('Second of two', '1.1'),
  'plugins/late/late.php': `<?php\n${'// filler\n'.repeat(1000)}${header('Too late', '1.0')}`,
  'plugins/.hidden/hidden.php': header('Hidden', '1.0'),
  'plugins/shout/shout.php': '<?php\n# PLUGIN NAME: Shout ?> \n# version: 1.0-beta2 */ rest\n',
  'mu-plugins/must.php': header('Must use', '1.0'),
  'advanced-cache.php': '<?php\n/* Plugin Name: Drop-in */\n',
  'themes/child/style.css': '/*\nTheme Name: Child\nTemplate: twentytwentyfive\nVersion: 0.1\n*/\n',
  'themes/orphan/style.css': '/*\nTheme Name: Orphan\nTemplate: nobody\nVersion: 0.1\n*/\n',
  'themes/grandchild/style.css': '/*\nTheme Name: Grandchild\nTemplate: child\nVersion: 1\n*/\n',
  'themes/child/index.php': '<?php\n',
  'themes/empty/readme.txt': 'no stylesheet',
  'themes/bare/style.css': '/*\nTheme Name: Bare\nVersion: 1.0\n*/\n',
  'themes/folder/nested/style.css': '/*\nTheme Name: Nested\nVersion: 4.2\n*/\n',
  'themes/folder/nested/index.php': '<?php\n',
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

interface PrivateMariadb {
  socket: string
  stop(): Promise<void>
}

/** Starts a MariaDB in a folder: a socket, no port, and root by unix_socket. */
async function startMariadb(folder: string): Promise<PrivateMariadb> {
  const data = join(folder, 'data')
  const socket = join(folder, 'mysqld.sock')
  await mkdir(data, { recursive: true })
  await chmod(folder, 0o755)
  await must(['chown', '-R', 'mysql:mysql', folder])
  const common = ['--no-defaults', '--user=mysql', `--datadir=${data}`]
  const root = '--auth-root-authentication-method=socket'
  await must(['mariadb-install-db', ...common, root, '--skip-test-db'])
  const server = Bun.spawn(
    ['mariadbd', ...common, `--socket=${socket}`, '--skip-networking', '--skip-name-resolve'],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  )
  const stop = async () => {
    server.kill('SIGTERM')
    await server.exited
  }
  const ping = ['mariadb-admin', '--no-defaults', `--socket=${socket}`, 'ping']
  if (await polled(() => must(ping).catch(() => false), { timeout_ms: 20_000 }))
    return { socket, stop }
  await stop()
  throw new Error('MariaDB did not start')
}

interface BenchSite {
  docroot: string
  socket: string
  /** Runs wp-cli on the site and returns its standard output. */
  wp(...args: string[]): Promise<string>
  stop(): Promise<void>
}

const OFFERS = {
  plugins: { 'akismet/akismet.php': '99.1', 'extra-3/extra-3.php': '1.31', 'single.php': '2.0.1' },
  themes: { twentytwentyfour: '9.7', child: '0.2' },
  core: '99.0.1',
}

/** Makes a WordPress with a MariaDB, active plugins, a child theme and updates. */
async function makeSite(folder: string): Promise<BenchSite> {
  const mirror = await wordpressMirror()
  const docroot = join(folder, 'public')
  await mkdir(docroot)
  const unpack = ['tar', '-xzf', join(mirror, 'latest.tar.gz'), '-C', docroot]
  await must([...unpack, '--strip-components=1'])
  const { socket, stop } = await startMariadb(join(folder, 'mariadb'))
  const wp = wpCli(join(mirror, 'wp-cli.phar'), docroot)
  try {
    await install(wp, socket)
    await addExtras(docroot)
    await wp('plugin', 'activate', 'akismet', 'single', 'mac', 'extra-1', 'extra-2')
    await wp('theme', 'activate', 'child')
    await check(wp, docroot)
  } catch (error) {
    await stop()
    throw error
  }
  return { docroot, socket, wp, stop }
}

function wpCli(phar: string, docroot: string): BenchSite['wp'] {
  const php = ['php', '-d', 'memory_limit=512M', phar, `--path=${docroot}`, '--allow-root']
  const env = { WP_CLI_DISABLE_AUTO_CHECK_UPDATE: '1', WP_CLI_CONFIG_PATH: '/dev/null' }
  return (...args) => must([...php, ...args], { env })
}

async function install(wp: BenchSite['wp'], socket: string): Promise<void> {
  const sql = ['mariadb', '--no-defaults', `--socket=${socket}`, '-e']
  await must([...sql, "CREATE DATABASE bench; CREATE USER bench@localhost IDENTIFIED BY 'bench'"])
  await must([...sql, 'GRANT ALL ON bench.* TO bench@localhost'])
  const host = `--dbhost=localhost:${socket}`
  const account = ['--dbname=bench', '--dbuser=bench', '--dbpass=bench']
  await wp('config', 'create', host, ...account, '--skip-check', '--skip-salts')
  await wp('config', 'set', 'DISABLE_WP_CRON', 'true', '--raw')
  // No requests to the outside during the setup of the site.
  await wp('config', 'set', 'WP_HTTP_BLOCK_EXTERNAL', 'true', '--raw')
  const admin = ['--admin_user=bench', '--admin_password=bench', '--admin_email=bench@site.example']
  const site = ['--url=http://site.example', '--title=Bench']
  await wp('core', 'install', ...site, ...admin, '--skip-email')
}

/** WordPress queries the update service itself and stores the result; then the service stops. */
async function check(wp: BenchSite['wp'], docroot: string): Promise<void> {
  const service = startUpdateService(OFFERS)
  const config = join(docroot, 'wp-config.php')
  const before = await readFile(config, 'utf8')
  const proxy = `define('WP_PROXY_HOST', '127.0.0.1'); define('WP_PROXY_PORT', '${service.port}');`
  const open = before.replace(/^.*WP_HTTP_BLOCK_EXTERNAL.*$/m, proxy)
  await writeFile(config, open)
  await wp('eval', 'wp_version_check([], true); wp_update_plugins(); wp_update_themes();')
  await writeFile(config, before)
  await service.stop(true)
}

/** Offers are the offered versions of a plugin file, a theme or the core. */
interface Offers {
  plugins: Record<string, string>
  themes: Record<string, string>
  core: string
}

/**
 * Replaces api.wordpress.org as the HTTP proxy of a site (WP_PROXY_HOST): answers the three update
 * checks of WordPress in their own format, so that WordPress itself writes its transients.
 */
function startUpdateService(offers: Offers) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (request.method === 'CONNECT') return new Response(null, { status: 403 })
      const { pathname } = new URL(request.url)
      const form = new URLSearchParams(await request.text())
      if (pathname.startsWith('/plugins/update-check/')) return extensions('plugins', form, offers)
      if (pathname.startsWith('/themes/update-check/')) return extensions('themes', form, offers)
      if (pathname.startsWith('/core/version-check/')) return core(offers)
      return new Response(null, { status: 404 })
    },
  })
}

const ENTRIES = {
  plugins(plugin: string, new_version: string) {
    const slug = plugin.split('/')[0]?.replace(/\.php$/, '')
    return { id: `w.org/plugins/${slug}`, slug, plugin, new_version, icons: {}, package: '' }
  },
  themes(theme: string, new_version: string) {
    return { theme, new_version, url: '', package: '', requires: '6.4', requires_php: '7.2' }
  },
}

function extensions(kind: 'plugins' | 'themes', form: URLSearchParams, offers: Offers): Response {
  const installed: Record<string, { Version?: string }> = JSON.parse(form.get(kind) ?? '{}')[kind]
  const newer: Record<string, object> = {}
  const no_update: Record<string, object> = {}
  for (const [key, { Version = '' }] of Object.entries(installed)) {
    const version = offers[kind][key]
    if (version === undefined) no_update[key] = ENTRIES[kind](key, Version)
    else newer[key] = ENTRIES[kind](key, version)
  }
  return Response.json({ [kind]: newer, no_update, translations: [] })
}

function core({ core: version }: Offers): Response {
  const packages = { full: `http://downloads.example/${version}.zip`, partial: false }
  const offer = { response: 'upgrade', locale: 'en_US', packages, current: version, version }
  return Response.json({ offers: [offer], translations: [], ttl: 3600 })
}

await main().then(() => process.exit(0), fail)
