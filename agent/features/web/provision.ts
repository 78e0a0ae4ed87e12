import { defaultsOf, type NginxServers } from '#agent/features/existing/web/nginx-servers.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import { replace } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { missingPackages } from '#agent/kernel/packages/packages.ts'
import { NGINX } from '#agent/kernel/services/known.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import { CACHES, CONFIGURATION, HOMES, LIBRARY, LOGS } from '#agent/kernel/site/paths.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { abilitiesOf } from './abilities.ts'
import { type Abilities, ACME_ROOT, renderDefault } from './base.ts'
import { BASE_PATH, baseOf } from './base-file.ts'
import { reloadTested, test } from './nginx.ts'
import { refuseOtherDefaults, serversIfInstalled } from './others.ts'
import { isWide, PORTS } from './places.ts'

export const DEFAULT_PATH = '/etc/nginx/sites-available/hosting-default'
export const DEFAULT_LINK = '/etc/nginx/sites-enabled/hosting-default'
const DEBIAN_FILE = '/etc/nginx/sites-available/default'
const DEBIAN_LINK = '/etc/nginx/sites-enabled/default'
/** Debian's default; anything else is a foreign site. */
const DEBIAN_PAGES = ['index.nginx-debian.html']
const FOLDERS = [ACME_ROOT, LOGS, CACHES, HOMES, LIBRARY, CONFIGURATION]

export const nginxStep = (host: Host): Step => ({
  name: 'nginx',
  title: 'Configuring nginx',
  effects: () => planConfigure(host),
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

/** The target state, beside foreign servers. */
interface Target {
  /** The servers of nginx, without Debian's welcome page if it is removed. */
  before: NginxServers
  welcome: boolean
  /** The text of the default server; undefined when its file stays as it is. */
  catch_all: string | undefined
  /** True when another server declares that it answers every unknown name. */
  removed: boolean
}

async function targetOf(host: Host): Promise<Target> {
  const found = await serversIfInstalled(host)
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

/** Resolves with true when nginx serves something that is neither ours nor Debian's unused welcome page. */
export const hasForeignServers = async (host: Host): Promise<boolean> =>
  (await targetOf(host)).before.others.length > 0

/** Not at an address that only foreign servers use. */
function catchAllAbilities({ places, ...abilities }: Abilities): Abilities {
  if (!places) return abilities
  const wide = (port: 80 | 443) => places.addresses[port].filter(isWide)
  return { ...abilities, places: { ...places, addresses: { 80: wide(80), 443: wide(443) } } }
}

async function configure(host: Host): Promise<void> {
  const { files } = host
  const { before, welcome, catch_all, removed } = await targetOf(host)
  for (const path of FOLDERS) await files.mkdir(path, { mode: 0o755 })
  const undo = [await replace(host, BASE_PATH, await baseOf(host))]
  if (before.others.length === 0) undo.push(await extendConnections(host))
  const linked = (await files.stat(DEFAULT_LINK)) !== undefined
  try {
    if (welcome) await files.remove(DEBIAN_LINK)
    if (removed) await files.remove(DEFAULT_LINK)
    else if (catch_all !== undefined) {
      undo.push(await replace(host, DEFAULT_PATH, catch_all))
      await files.link(DEFAULT_PATH, DEFAULT_LINK)
    }
    if (!(await isRunning(host, NGINX))) return
    await test(host)
    await refuseOtherDefaults(host, before)
    await reloadTested(host)
  } catch (error) {
    if (linked) await files.link(DEFAULT_PATH, DEFAULT_LINK)
    else await files.remove(DEFAULT_LINK)
    if (welcome) await files.link(DEBIAN_FILE, DEBIAN_LINK)
    for (const restore of undo) await restore()
    throw error
  }
}

/** What `configure` would do; without nginx there are no foreign servers. */
async function planConfigure(host: Host): Promise<Effect[]> {
  const { before, welcome, catch_all, removed } = await targetOf(host)
  const own = catch_all !== undefined && !removed
  const files = [
    { path: BASE_PATH, text: await baseOf(host) },
    ...(own ? [{ path: DEFAULT_PATH, text: catch_all }] : []),
  ]
  return [
    ...(await effects.planMake(host, 'folder', ...FOLDERS)),
    ...(welcome ? [effects.remove('link', DEBIAN_LINK)] : []),
    ...(await effects.planGenerate(host, files)),
    ...(before.others.length === 0 ? await planConnections(host) : []),
    ...(own ? await effects.planMake(host, 'link', DEFAULT_LINK) : []),
    ...(removed ? [effects.remove('link', DEFAULT_LINK)] : []),
    ...((await isRunning(host, NGINX)) ? [effects.run('reload', NGINX.unit)] : []),
  ]
}

/**
 * Debian's welcome page answers every unknown name. An edited one stays, and so do pages that
 * somebody put beside it, and the answer to unknown names on a server with foreign sites.
 */
async function isUnusedWelcome(host: Host, { others }: NginxServers): Promise<boolean> {
  if (others.some(({ path }) => path !== DEBIAN_LINK)) return false
  if ((await host.files.stat(DEBIAN_LINK))?.kind !== 'link') return false
  const pages = await host.files.list('/var/www/html')
  if (pages.some(({ name }) => !DEBIAN_PAGES.includes(name))) return false
  const { stdout } = await host.shell.try(['dpkg', '--verify', 'nginx-common'])
  return !stdout.includes('/sites-available/default')
}

const MAIN_FILE = '/etc/nginx/nginx.conf'
const CONNECTIONS = 8192
/** Debian's value, for each worker. Another value was chosen by somebody, and stays. */
const DEBIAN = /^(\s*worker_connections\s+)768(\s*;)/m

type Readable = Pick<Host, 'files'>

/**
 * The text of nginx.conf with more connections, or undefined if nothing changes. No other file can set
 * them: nginx allows one `events` block.
 */
async function extended({
  files,
}: Readable): Promise<{ before: string; text: string } | undefined> {
  const before = (await files.read(MAIN_FILE)) ?? ''
  const text = before.replace(DEBIAN, `$1${CONNECTIONS}$2`)
  return text === before ? undefined : { before, text }
}

/**
 * Raises Debian's limit of connections, on a server without foreign virtual hosts: their settings stay.
 * The caller tests and reloads nginx. Returns the undo.
 */
async function extendConnections(host: Readable): Promise<() => Promise<void>> {
  const found = await extended(host)
  if (!found) return async () => undefined
  await host.files.write(MAIN_FILE, found.text, { mode: 0o644 })
  return () => host.files.write(MAIN_FILE, found.before, { mode: 0o644 })
}

/** Returns the effects of `extendConnections`; a package that is installed first brings the file. */
async function planConnections(host: Host): Promise<Effect[]> {
  const comes =
    !(await host.files.stat(MAIN_FILE)) && (await missingPackages(host, [])).includes('nginx')
  if (comes) return [effects.create('file', MAIN_FILE)]
  return (await extended(host)) ? [effects.change('file', MAIN_FILE)] : []
}
