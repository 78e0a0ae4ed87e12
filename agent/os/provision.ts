import { conflict } from '#shared/errors.ts'
import type { Effect } from '#shared/plan.ts'
import type { Step } from '../commands/command.ts'
import type { Host } from '../host/ports.ts'
import * as effects from './effects.ts'
import { replace } from './generated.ts'
import { ensureMariadb } from './mariadb.ts'
import { abilitiesOf, dump, reloadTested } from './nginx.ts'
import { ACME_ROOT, renderBase, renderDefault } from './nginx-base.ts'
import {
  install,
  installing,
  missingPackages,
  refuseUnknownPackages,
  shippedPhp,
} from './packages.ts'
import { LIBRARY } from './paths.ts'
import { ensureRunning } from './services/index.ts'
import { CRON, LOG, MARIADB, NGINX } from './services/known.ts'
import { isRunning, type Service } from './services/service.ts'
import { wpCliSteps } from './wp-cli.ts'

const BASE_PATH = '/etc/nginx/conf.d/hosting.conf'
const DEFAULT_PATH = '/etc/nginx/sites-available/hosting-default'
const DEFAULT_LINK = '/etc/nginx/sites-enabled/hosting-default'
const DEBIAN_LINK = '/etc/nginx/sites-enabled/default'
const FOLDERS = [
  ...[ACME_ROOT, '/var/log/hosting', '/var/cache/hosting', '/srv/www', LIBRARY],
  '/etc/hosting',
]

/**
 * What makes of this Debian a server for sites: packages, base configuration, running services. None
 * where all of it is there, found without starting a program. An empty list of PHP versions means the
 * one that the distribution ships. `field` is the parameter that a bad version is reported on.
 *
 * Throws what stands in the way: invalid on `field`, conflict for a port 80 that is somebody else's.
 */
export async function provisionSteps(
  host: Host,
  php: readonly string[],
  field: string,
): Promise<Step[]> {
  const shipped = await shippedPhp(host)
  const versions = php.length > 0 ? php : [shipped]
  const missing = await missingPackages(host, versions)
  if (missing.length > 0) await refuseUnknownPackages(host, missing, field)
  const stopped = await stoppedOf(host)
  if (stopped.includes(NGINX)) await refuseTakenPort(host)
  const configured = (await host.files.read(BASE_PATH)) === (await baseOf(host))
  return [
    ...(missing.length > 0 ? [packagesStep(host, missing, field)] : []),
    ...(configured ? [] : [nginxStep(host)]),
    ...(configured && missing.length === 0 ? [] : await sharedPoolSteps(host, versions)),
    ...(stopped.length > 0 ? [servicesStep(host, stopped)] : []),
    ...(await wpCliSteps(host)),
  ]
}

const packagesStep = (host: Host, missing: readonly string[], field: string): Step => ({
  name: 'packages',
  title: `Installing ${missing.join(', ')}`,
  effects: () => installing(host, missing),
  apply: () => install(host, missing, field),
})

const nginxStep = (host: Host): Step => ({
  name: 'nginx',
  title: 'Configuring nginx',
  effects: () => configuring(host),
  apply: () => host.exclusive('nginx', () => configureNginx(host)),
})

/** Debian starts a master with a pool www for every PHP version; here every site has its own. */
async function sharedPoolSteps(host: Host, versions: readonly string[]): Promise<Step[]> {
  if (host.init !== 'systemd') return []
  const retired: string[] = []
  for (const php of versions) if (await isUnused(host, php)) retired.push(php)
  if (retired.length === 0) return []
  return [
    {
      name: 'shared pools',
      title: `Stopping the shared pool of PHP ${retired.join(', ')}`,
      effects: retired.map((php) => effects.remove('service', `php${php}-fpm.service`)),
      async apply() {
        for (const php of retired) {
          if (await isUnused(host, php))
            await host.shell.run(['systemctl', 'disable', '--now', `php${php}-fpm.service`])
        }
      },
    },
  ]
}

function servicesStep(host: Host, stopped: readonly Service[]): Step {
  const units = stopped.map(({ unit }) => unit)
  return {
    name: 'services',
    title: `Starting ${units.map((unit) => unit.replace('.service', '')).join(', ')}`,
    effects: async () => [
      ...(host.init === 'direct' ? await effects.making(host, 'file', LOG) : []),
      ...units.map((unit) => effects.create('service', unit)),
    ],
    async apply() {
      await ensureMariadb(host)
      if (!(await isRunning(host, NGINX))) await refuseTakenPort(host)
      for (const service of [NGINX, CRON]) await ensureRunning(host, service)
    },
  }
}

async function stoppedOf(host: Host): Promise<Service[]> {
  const services = [MARIADB, NGINX, CRON]
  const running = await Promise.all(services.map((service) => isRunning(host, service)))
  return services.filter((_, at) => !running[at])
}

async function baseOf({ files }: Host): Promise<string> {
  const own = (await files.read('/etc/nginx/nginx.conf')) ?? ''
  return renderBase({ bucket: !/^\s*server_names_hash_bucket_size/m.test(own) })
}

async function configureNginx(host: Host): Promise<void> {
  const { files } = host
  for (const path of FOLDERS) await files.mkdir(path, { mode: 0o755 })
  if (await isDebianDefault(host)) await files.remove(DEBIAN_LINK)
  const undo = [await replace(host, BASE_PATH, await baseOf(host))]
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

/** What `configureNginx` would do; without nginx there is nothing of anybody else's. */
async function configuring(host: Host): Promise<Effect[]> {
  const debian = await isDebianDefault(host)
  const files = [{ path: BASE_PATH, text: await baseOf(host) }]
  const own = !(await hasOther(host, debian ? [DEFAULT_LINK, DEBIAN_LINK] : [DEFAULT_LINK]))
  if (own) files.push({ path: DEFAULT_PATH, text: renderDefault(await abilitiesOf(host)) })
  const link = own ? effects.making : effects.removing
  return [
    ...(await effects.making(host, 'folder', ...FOLDERS)),
    ...(debian ? [effects.remove('link', DEBIAN_LINK)] : []),
    ...(await effects.generating(host, files)),
    ...(await link(host, 'link', DEFAULT_LINK)),
    ...((await isRunning(host, NGINX)) ? [effects.run('reload', NGINX.unit)] : []),
  ]
}

/** The administrator's own catch-all server stays. */
async function hasForeignDefault(host: Host): Promise<boolean> {
  await host.files.remove(DEFAULT_LINK)
  return hasOther(host, [])
}

/** Whether a file of nginx's configuration that is not one of these has a catch-all server. */
async function hasOther(host: Host, but: readonly string[]): Promise<boolean> {
  const text = await dumpOf(host)
  const others = text
    .split(/^# configuration file /m)
    .filter((file) => !but.some((path) => file.startsWith(`${path}:`)))
  return others.some((file) => /^\s*listen\s[^;]*\bdefault_server\b/m.test(file))
}

/** Debian's welcome page answers for every unknown name; one that somebody edited stays. */
async function isDebianDefault(host: Host): Promise<boolean> {
  if ((await host.files.stat(DEBIAN_LINK))?.kind !== 'link') return false
  const { stdout } = await host.shell.try(['dpkg', '--verify', 'nginx-common'])
  return !stdout.includes('/sites-available/default')
}

/** No pool but Debian's own, and no virtual host that asks it. */
async function isUnused(host: Host, php: string): Promise<boolean> {
  const pools = await host.files.list(`/etc/php/${php}/fpm/pool.d`)
  if (pools.some(({ name }) => name !== 'www.conf')) return false
  return !/^[^#\n]*\/php[\d.]*-fpm\.sock/m.test(await dumpOf(host))
}

async function dumpOf(host: Host): Promise<string> {
  return (await host.files.stat(NGINX.program)) ? dump(host) : ''
}

async function refuseTakenPort(host: Host): Promise<void> {
  for (const path of ['/proc/1/net/tcp', '/proc/1/net/tcp6']) {
    if (/^\s*\d+: [0-9A-F]+:0050 \S+ 0A /m.test((await host.files.read(path)) ?? '')) {
      throw conflict('Port 80 is in use by another program: stop it and try again')
    }
  }
}
