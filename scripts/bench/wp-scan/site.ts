import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { must } from '#scripts/lib/run.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { addExtras } from './extras.ts'
import { startMariadb } from './mariadb.ts'
import { startUpdateService } from './update-service.ts'

export interface BenchSite {
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

/** A real WordPress with a MariaDB of its own, active plugins, a child theme and pending updates. */
export async function makeSite(folder: string): Promise<BenchSite> {
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
