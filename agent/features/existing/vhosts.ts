import { dirname, resolve } from 'node:path'
import { isApache, readApacheConfig } from '#agent/features/existing/web/apache-config.ts'
import { apacheHosts } from '#agent/features/existing/web/apache-hosts.ts'
import { localAddresses } from '#agent/features/existing/web/backends.ts'
import { isCaddy } from '#agent/features/existing/web/caddy-config.ts'
import { readCaddy } from '#agent/features/existing/web/caddy-hosts.ts'
import { chooseSites, type Vhost } from '#agent/features/existing/web/choose-sites.ts'
import { filesInDump, filesOnDisk } from '#agent/features/existing/web/config-files.ts'
import type { Directive } from '#agent/features/existing/web/nginx-config.ts'
import { dumpNginx, filesOf, isWhole } from '#agent/features/existing/web/nginx-dump.ts'
import { nginxHosts } from '#agent/features/existing/web/nginx-hosts.ts'
import { type NginxTree, readTree } from '#agent/features/existing/web/nginx-tree.ts'
import { wildcardFits } from '#agent/features/existing/web/nginx-variables.ts'
import { isLiteSpeed, readOpenLiteSpeed } from '#agent/features/existing/web/openlitespeed-hosts.ts'
import type { MassHost, VirtualHost } from '#agent/features/existing/web/virtual-host.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { type Process, systemProcesses } from '#agent/kernel/host/processes/processes.ts'
import { canonicalDomain } from '#shared/kernel/names.ts'

const DEFAULT_CONFIG = '/etc/nginx/nginx.conf'
const OPENRESTY_CONFIG = '/usr/local/openresty/nginx/conf/nginx.conf'
const DUMP_MS = 20_000

/** The main files of packages, panels and own builds, for a server whose nginx does not run. */
const OTHER_CONFIGS = [
  '/etc/nginx-rc/nginx.conf',
  '/usr/local/nginx/conf/nginx.conf',
  OPENRESTY_CONFIG,
  '/www/server/nginx/conf/nginx.conf',
  '/opt/bitnami/nginx/conf/nginx.conf',
]

/**
 * Reads the configuration of nginx as one tree, as the running master would. Its files are read
 * directly: `nginx -T` also loads every certificate, which takes longer than all else on a server
 * with a thousand sites. It runs only if a file is unreadable. Without an nginx.conf the tree has
 * the files of sites.
 */
export async function readNginxConfig(
  host: Host,
  processes: readonly Process[] = [],
): Promise<readonly Directive[]> {
  const options = optionsOf(processes)
  const config = options.config ?? (await builtInConfig(host, options))
  const read = (path: string) => readTree(filesOnDisk(host), dirname(config), path)
  const own = await read(config)
  if (own.missing.size === 0) return own.directives
  if (own.directives.length === 0 && options.config === undefined && !processes.some(isNginx)) {
    const other = await readFirstOther(host)
    if (other) return other
  }
  const printed = (await dumpConfig(host, options))?.directives ?? own.directives
  if (printed.length > 0) return printed
  const folders = ['conf.d/*.conf', 'sites-enabled/*', 'vhosts.d/*.conf']
  return (await Promise.all(folders.map(read))).flatMap(({ directives }) => directives)
}

async function readFirstOther(host: Host): Promise<readonly Directive[] | undefined> {
  for (const path of OTHER_CONFIGS) {
    const { directives } = await readTree(filesOnDisk(host), dirname(path), path)
    if (directives.length > 0) return directives
  }
  return undefined
}

interface MasterOptions {
  program: string
  prefix: string | undefined
  /** The path of the configuration; undefined when nginx uses its built-in path. */
  config: string | undefined
  args: readonly string[]
}

const isNginx = ({ line, root }: Process) => root && line.startsWith('nginx: master process ')

/**
 * Returns the program and the options in the title of the master process, such as
 * `nginx: master process /usr/sbin/nginx -c /etc/nginx-rc/nginx.conf -g daemon on;`.
 */
function optionsOf(processes: readonly Process[]): MasterOptions {
  const master = processes.find(isNginx)
  const [program = '', ...words] = (master?.line ?? '').split(' ').slice(3)
  const optionValue = (option: string) => words[words.indexOf(option) + 1 || words.length]
  const prefix = optionValue('-p')
  const config = optionValue('-c')
  return {
    program: /^\/[\w./-]*\/(nginx|openresty)[\w.-]*$/.test(program) ? program : 'nginx',
    prefix,
    config: config === undefined ? undefined : resolve(prefix ?? dirname(DEFAULT_CONFIG), config),
    args: [
      ...(prefix === undefined ? [] : ['-p', prefix]),
      ...(config === undefined ? [] : ['-c', config]),
    ],
  }
}

/** Returns the built-in default of nginx; Debian's if the program does not print it. */
async function builtInConfig({ shell }: Host, { program, prefix }: MasterOptions): Promise<string> {
  const { stderr } = await shell.try([program, '-V'], {
    unconfined: true,
    timeout_ms: DUMP_MS,
  })
  const builtWith = (option: string) => new RegExp(` --${option}=(\\S+)`).exec(stderr)?.[1]
  const built_prefix = builtWith('prefix')
  const config = builtWith('conf-path') ?? (built_prefix && 'conf/nginx.conf')
  if (config !== undefined) return resolve(prefix ?? built_prefix ?? '/usr/local/nginx', config)
  return program.includes('/openresty/') ? OPENRESTY_CONFIG : DEFAULT_CONFIG
}

/** Returns the configuration that nginx prints; undefined if it fails, or prints only a part. */
async function dumpConfig(
  host: Host,
  { program, args }: MasterOptions,
): Promise<NginxTree | undefined> {
  const command = { program, args, timeout_ms: DUMP_MS }
  const dump = await dumpNginx(host, command).catch(() => undefined)
  const files = dump && isWhole(dump) ? filesOf(dump.stdout) : new Map<string, string>()
  const [first] = files.keys()
  return first === undefined ? undefined : readTree(filesInDump(files), dirname(first), first)
}

export type { Vhost } from '#agent/features/existing/web/choose-sites.ts'

interface WebServer {
  runs(process: Process): boolean
  read(host: Host, processes: readonly Process[]): Promise<VirtualHost[]>
}

const MAX_PROGRAMS = 8

const SERVERS: readonly WebServer[] = [
  { runs: isNginx, read: readNginx },
  { runs: isCaddy, read: readCaddy },
  { runs: isLiteSpeed, read: readOpenLiteSpeed },
  { runs: isApache, read: async (...from) => apacheHosts(await readApacheConfig(...from)) },
]

/**
 * Lists every site of the running web servers of this machine, those without a domain included. If
 * none is running, lists the sites that the installed ones would serve, unless something else
 * (`occupied`) uses their ports.
 */
export async function listServed(
  host: Host,
  processes: readonly Process[],
  occupied = async () => false,
): Promise<Vhost[]> {
  const running = SERVERS.filter(({ runs }) => processes.some(runs))
  const queried = running.length > 0 || (await occupied()) ? running : SERVERS
  const [local, ...found] = await Promise.all([
    localAddresses(host),
    ...queried.map(({ read }) => read(host, processes).catch(() => [])),
  ])
  const [nginx = []] = found
  // Of several installed and stopped servers, one is in use.
  const used = running.length > 0 ? found.flat() : (found.find(hasNames) ?? nginx)
  return chooseSites(await withMassHosts(host, used), local)
}

/** Reads programs with different configurations, as some panels have, one by one. */
async function readNginx(host: Host, processes: readonly Process[]): Promise<VirtualHost[]> {
  const masters = new Map(processes.filter(isNginx).map((master) => [master.line, master]))
  const programs = [...masters.values()].slice(0, MAX_PROGRAMS).map((master) => [master])
  const hostname = (await host.files.read('/etc/hostname').catch(() => undefined)) ?? ''
  const configs = await Promise.all(
    (programs.length > 0 ? programs : [[]]).map((program) => readNginxConfig(host, program)),
  )
  return configs.flatMap((config) => nginxHosts(config, hostname.trim().toLowerCase()))
}

const hasNames = (hosts: readonly VirtualHost[]) =>
  hosts.some(({ names }) => names.some((name) => canonicalDomain(name) !== undefined))

/** Lists every site that has a domain. */
export async function listVhosts(host: Host): Promise<Vhost[]> {
  const served = await listServed(host, await systemProcesses(host))
  return served.filter(({ domain }) => domain !== '')
}

/** The maximum number of entries that are read of each folder. */
const MAX_ENTRIES = 10_000
/** The maximum number of sites that are found for all server blocks together. */
const MAX_SITES = 5000
const MAX_CANDIDATES = 20_000

interface Search {
  /** The names of a server block, or those that a site was found for. */
  taken: Set<string>
  found: VirtualHost[]
  candidates_left: number
}

/** Adds a virtual host for each folder that a mass virtual host serves. */
async function withMassHosts(
  { files }: Pick<Host, 'files'>,
  hosts: readonly VirtualHost[],
): Promise<readonly VirtualHost[]> {
  const taken = new Set(hosts.flatMap(({ names }) => names.map((name) => name.toLowerCase())))
  const search: Search = { taken, found: [], candidates_left: MAX_CANDIDATES }
  const folders = new Map<string, Promise<readonly string[]>>()
  for (const host of hosts.filter(({ mass }) => mass).sort(bySpecificity)) {
    const { parent = '' } = host.mass ?? {}
    const listed = folders.get(parent) ?? foldersIn(files, parent)
    folders.set(parent, listed)
    const isOthers = (name: string) => isMoreSpecific(hosts, host, name)
    if (host.mass) addSites(search, host.mass, await listed, isOthers)
  }
  return [...hosts, ...search.found]
}

async function foldersIn(files: Host['files'], parent: string): Promise<readonly string[]> {
  if (parent === '') return []
  const entries = await files.list(parent, MAX_ENTRIES).catch(() => [])
  return entries.flatMap(({ name, kind }) => (kind === 'file' ? [] : [name])).sort()
}

function addSites(
  search: Search,
  mass: MassHost,
  folders: readonly string[],
  isOthers: (name: string) => boolean,
): void {
  const add = (name: string, folder: string) => {
    if (search.candidates_left-- <= 0 || search.found.length >= MAX_SITES) return
    if (canonicalDomain(name) !== name || search.taken.has(name)) return
    const site = mass.answerTo(name)
    if (!site || !isIn(site, mass.parent, folder) || isOthers(name)) return
    search.taken.add(name)
    search.found.push(site)
  }
  for (const folder of folders) {
    if (search.candidates_left <= 0) return
    for (const name of mass.namesFor(folder)) add(name, folder)
  }
  for (const name of mass.names) add(name, '')
}

function isIn({ docroot }: VirtualHost, parent: string, folder: string): boolean {
  if (folder === '') return docroot !== ''
  const path = `${parent === '/' ? '' : parent}/${folder}`
  return docroot === path || docroot.startsWith(`${path}/`)
}

/** Sorts as web servers choose: wildcards before expressions, both before the default. */
const bySpecificity = (one: VirtualHost, other: VirtualHost) => rank(other) - rank(one)

function rank({ names }: VirtualHost): number {
  const ranks = names.map((name) => {
    if (/^\*?\./.test(name)) return 10_000 + name.length
    if (name.endsWith('.*')) return 5000 + name.length
    return name.startsWith('~') ? 1 : 0
  })
  return Math.max(0, ...ranks)
}

function isMoreSpecific(hosts: readonly VirtualHost[], host: VirtualHost, name: string): boolean {
  return hosts.some(
    (other) =>
      other !== host &&
      rank(other) > rank(host) &&
      other.names.some((written) => wildcardFits(written, name)),
  )
}
