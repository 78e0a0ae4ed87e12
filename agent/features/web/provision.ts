import { defaultsOf, type NginxServers } from '#agent/features/existing/web/nginx-servers.ts'
import {
  type Change,
  declared,
  deferred,
  folder,
  generated,
  inOrder,
  linked,
  provided,
  removed,
} from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { missingPackages } from '#agent/kernel/packages/packages.ts'
import { NGINX } from '#agent/kernel/services/debian-services.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import { CACHES, CONFIGURATION, HOMES, LIBRARY, LOGS } from '#agent/kernel/site/paths.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { type Abilities, ACME_ROOT, renderDefault } from './base.ts'
import { BASE_PATH, baseOf } from './base-file.ts'
import { isWide, PORTS } from './listen-places.ts'
import { reloadTested, test } from './nginx.ts'
import { abilitiesOf } from './nginx-abilities.ts'
import { listServersIfInstalled, refuseOtherDefaults } from './nginx-servers.ts'

export const DEFAULT_PATH = '/etc/nginx/sites-available/hosting-default'
export const DEFAULT_LINK = '/etc/nginx/sites-enabled/hosting-default'
const MAIN_FILE = '/etc/nginx/nginx.conf'
const DEBIAN_FILE = '/etc/nginx/sites-available/default'
const DEBIAN_LINK = '/etc/nginx/sites-enabled/default'
/** The pages of Debian's default; anything else is a foreign site. */
const DEBIAN_PAGES = ['index.nginx-debian.html']
const FOLDERS = [ACME_ROOT, LOGS, CACHES, HOMES, LIBRARY, CONFIGURATION]

export const nginxStep = (host: Host): Step => ({
  name: 'nginx',
  title: 'Configuring nginx',
  effects: async () => configuration(host, await targetOf(host)).effects(),
  apply: () => host.exclusive('nginx', () => configure(host)),
})

/** Throws conflict if nginx could not read the files of the sites of this agent. */
export async function refuseOtherUser({ files }: Pick<Host, 'files'>): Promise<void> {
  const text = (await files.read('/etc/nginx/nginx.conf')) ?? ''
  const user = /^\s*user\s+([^\s;]+)/m.exec(text)?.[1] ?? 'www-data'
  if (user === 'www-data') return
  throw conflict(
    `nginx runs as ${user} on this server, and sites need it to run as www-data, as Debian's does`,
  )
}

/** The target state beside foreign servers. */
interface ConfigurationTarget {
  /** The servers of nginx, without Debian's welcome page if it is removed. */
  before: NginxServers
  welcome: boolean
  /** The text of the default server; undefined when its file stays as it is. */
  catch_all: string | undefined
  /** True when another server declares that it answers every unknown name. */
  removed: boolean
}

async function targetOf(host: Host): Promise<ConfigurationTarget> {
  const found = await listServersIfInstalled(host)
  const welcome = await isUnusedWelcome(host, found)
  const keep = ({ path }: { path: string }) => !(welcome && path === DEBIAN_LINK)
  const before = { ...found, all: found.all.filter(keep), others: found.others.filter(keep) }
  const named = before.others.some(({ listens }) =>
    listens.some(({ words }) => words.includes('default_server')),
  )
  const there = (await host.files.stat(DEFAULT_LINK)) !== undefined
  const stays = there && before.others.length > 0
  // A foreign server answers unknown names there: without a declaration the first one does.
  const served = defaultsOf(before.others)
  const ports = PORTS.filter((port) => !served.has(`*:${port}`) && !served.has(`[::]:${port}`))
  const abilities = catchAllAbilities(await abilitiesOf(host, before))
  return {
    before,
    welcome,
    catch_all: stays || ports.length === 0 ? undefined : renderDefault(abilities, ports),
    removed: there && named,
  }
}

/** Returns whether nginx serves something that is neither ours nor Debian's unused welcome page. */
export const hasForeignServers = async (host: Host): Promise<boolean> =>
  (await targetOf(host)).before.others.length > 0

/** Leaves out addresses that only foreign servers use. */
function catchAllAbilities({ places, ...abilities }: Abilities): Abilities {
  if (!places) return abilities
  const wide = (port: 80 | 443) => places.addresses[port].filter(isWide)
  return { ...abilities, places: { ...places, addresses: { 80: wide(80), 443: wide(443) } } }
}

/** The files that a failed configuration restores, beside its links. */
const CHANGED = [BASE_PATH, DEFAULT_PATH, MAIN_FILE]

async function configure(host: Host): Promise<void> {
  const target = await targetOf(host)
  const restore = await restoring(host, target)
  try {
    await configuration(host, target).apply()
  } catch (error) {
    await restore()
    throw error
  }
}

async function restoring(
  { files }: Host,
  { welcome }: ConfigurationTarget,
): Promise<() => Promise<void>> {
  const linked = (await files.stat(DEFAULT_LINK)) !== undefined
  const former = await Promise.all(
    CHANGED.map(async (path) => ({ path, text: await files.read(path) })),
  )
  return async () => {
    if (linked) await files.link(DEFAULT_PATH, DEFAULT_LINK)
    else await files.remove(DEFAULT_LINK)
    if (welcome) await files.link(DEBIAN_FILE, DEBIAN_LINK)
    for (const { path, text } of former) {
      if (text === undefined) await files.remove(path)
      else if ((await files.read(path)) !== text) await files.write(path, text, { mode: 0o644 })
    }
  }
}

/** Everything that the step does, in order. */
function configuration(host: Host, target: ConfigurationTarget): Change {
  const { before, welcome, catch_all, removed: isRemoved } = target
  const own = catch_all !== undefined && !isRemoved
  return inOrder(
    ...FOLDERS.map((path) => folder(host, path, { mode: 0o755 })),
    ...(welcome ? [removed(host, 'link', DEBIAN_LINK)] : []),
    deferred(async () => generated(host, [{ path: BASE_PATH, text: await baseOf(host) }])),
    ...(own ? [generated(host, [{ path: DEFAULT_PATH, text: catch_all }])] : []),
    ...(before.others.length === 0 ? [moreConnections(host)] : []),
    ...(own ? [linked(host, DEFAULT_PATH, DEFAULT_LINK)] : []),
    ...(isRemoved ? [removed(host, 'link', DEFAULT_LINK)] : []),
    provided(
      () => isRunning(host, NGINX),
      declared([effects.run('reload', NGINX.unit)], async () => {
        await test(host)
        await refuseOtherDefaults(host, before)
        await reloadTested(host)
      }),
    ),
  )
}

/**
 * Returns whether Debian's welcome page can be removed, which answers every unknown name. An edited
 * one stays, and so do pages that somebody put beside it, and the answer to unknown names on a
 * server with foreign sites.
 */
async function isUnusedWelcome(host: Host, { others }: NginxServers): Promise<boolean> {
  if (others.some(({ path }) => path !== DEBIAN_LINK)) return false
  if ((await host.files.stat(DEBIAN_LINK))?.kind !== 'link') return false
  const pages = await host.files.list('/var/www/html')
  if (pages.some(({ name }) => !DEBIAN_PAGES.includes(name))) return false
  const { stdout } = await host.shell.try(['dpkg', '--verify', 'nginx-common'])
  return !stdout.includes('/sites-available/default')
}

const CONNECTIONS = 8192
/** Matches Debian's value, for each worker. Another value was chosen by somebody, and stays. */
const DEBIAN_CONNECTIONS = /^(\s*worker_connections\s+)768(\s*;)/m

type FilesHost = Pick<Host, 'files'>

/**
 * Returns nginx.conf with more connections; undefined if nothing changes. No other file can set
 * them: nginx allows one `events` block.
 */
async function withMoreConnections({ files }: FilesHost): Promise<string | undefined> {
  const before = (await files.read(MAIN_FILE)) ?? ''
  const text = before.replace(DEBIAN_CONNECTIONS, `$1${CONNECTIONS}$2`)
  return text === before ? undefined : text
}

/**
 * Raises Debian's limit of connections, on a server without foreign virtual hosts: their settings stay.
 * A package that is installed first brings the file.
 */
const moreConnections = (host: Host): Change => ({
  async effects() {
    const comes =
      !(await host.files.stat(MAIN_FILE)) && (await missingPackages(host, [])).includes('nginx')
    if (comes) return [effects.create('file', MAIN_FILE)]
    return (await withMoreConnections(host)) === undefined
      ? []
      : [effects.change('file', MAIN_FILE)]
  },
  async apply() {
    const text = await withMoreConnections(host)
    if (text !== undefined) await host.files.write(MAIN_FILE, text, { mode: 0o644 })
  },
})
