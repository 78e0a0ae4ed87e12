import { conflict } from '#shared/errors.ts'
import type { Progress } from '../commands/command.ts'
import type { Host } from '../host/ports.ts'
import { replace } from './generated.ts'
import { ensureMariadb } from './mariadb.ts'
import { abilitiesOf, dump, reloadTested } from './nginx.ts'
import { ACME_ROOT, renderBase, renderDefault } from './nginx-base.ts'
import { install, missingPackages, shippedPhp } from './packages.ts'
import { LIBRARY } from './paths.ts'
import { ensureRunning } from './services/index.ts'
import { CRON, NGINX } from './services/known.ts'
import { isRunning } from './services/service.ts'
import { provideWpCli } from './wp-cli.ts'

const BASE_PATH = '/etc/nginx/conf.d/hosting.conf'
const DEFAULT_PATH = '/etc/nginx/sites-available/hosting-default'
const DEFAULT_LINK = '/etc/nginx/sites-enabled/hosting-default'
const DEBIAN_LINK = '/etc/nginx/sites-enabled/default'

/**
 * Makes of this Debian a server for sites: packages, base configuration, running services. Says
 * nothing and starts no program when all of it is there. An empty list of PHP versions means the
 * one that the distribution ships. `field` is the parameter that a bad version is reported on.
 */
export async function* provision(
  host: Host,
  php: readonly string[],
  field: string,
): Progress<void> {
  const shipped = await shippedPhp(host)
  const versions = php.length > 0 ? php : [shipped]
  const missing = await missingPackages(host, versions)
  if (missing.length > 0) yield* install(host, missing, field)
  const base = await baseOf(host)
  const configured = (await host.files.read(BASE_PATH)) === base
  if (!configured) {
    yield 'Configuring nginx'
    await host.exclusive('nginx', () => configureNginx(host, base))
  }
  if (!configured || missing.length > 0) {
    for (const version of versions) await retireSharedPool(host, version)
  }
  await ensureMariadb(host)
  await ensureNginx(host)
  await ensureRunning(host, CRON)
  yield* provideWpCli(host)
}

async function baseOf({ files }: Host): Promise<string> {
  const own = (await files.read('/etc/nginx/nginx.conf')) ?? ''
  return renderBase({ bucket: !/^\s*server_names_hash_bucket_size/m.test(own) })
}

async function configureNginx(host: Host, base: string): Promise<void> {
  const { files } = host
  for (const path of [ACME_ROOT, '/var/log/hosting', '/var/cache/hosting', '/srv/www', LIBRARY]) {
    await files.mkdir(path, { mode: 0o755 })
  }
  await files.mkdir('/etc/hosting', { mode: 0o755 })
  await retireDebianDefault(host)
  const undo = [await replace(host, BASE_PATH, base)]
  try {
    if (await hasForeignDefault(host)) await files.remove(DEFAULT_LINK)
    else {
      undo.push(await replace(host, DEFAULT_PATH, renderDefault(await abilitiesOf(host))))
      await files.link(DEFAULT_PATH, DEFAULT_LINK)
    }
    if (await isRunning(host, NGINX)) await reloadTested(host)
  } catch (error) {
    await files.remove(DEFAULT_LINK)
    for (const restore of undo) await restore()
    throw error
  }
}

/** The administrator's own catch-all server stays. */
async function hasForeignDefault(host: Host): Promise<boolean> {
  await host.files.remove(DEFAULT_LINK)
  return /^\s*listen\s[^;]*\bdefault_server\b/m.test(await dump(host))
}

/** Debian's welcome page answers for every unknown name; one that somebody edited stays. */
async function retireDebianDefault(host: Host): Promise<void> {
  if ((await host.files.stat(DEBIAN_LINK))?.kind !== 'link') return
  const { stdout } = await host.shell.try(['dpkg', '--verify', 'nginx-common'])
  if (!stdout.includes('/sites-available/default')) await host.files.remove(DEBIAN_LINK)
}

/** Debian starts a master with a pool www for every PHP version; here every site has its own. */
async function retireSharedPool(host: Host, php: string): Promise<void> {
  if (host.init !== 'systemd') return
  const pools = await host.files.list(`/etc/php/${php}/fpm/pool.d`)
  if (pools.some(({ name }) => name !== 'www.conf')) return
  if (/^[^#\n]*\/php[\d.]*-fpm\.sock/m.test(await dump(host))) return
  await host.shell.run(['systemctl', 'disable', '--now', `php${php}-fpm.service`])
}

async function ensureNginx(host: Host): Promise<void> {
  if (await isRunning(host, NGINX)) return
  for (const path of ['/proc/1/net/tcp', '/proc/1/net/tcp6']) {
    if (/^\s*\d+: [0-9A-F]+:0050 \S+ 0A /m.test((await host.files.read(path)) ?? '')) {
      throw conflict('Port 80 is in use by another program: stop it and try again')
    }
  }
  await ensureRunning(host, NGINX)
}
