import type { Host } from '#agent/kernel/host/ports.ts'
import type { Process } from '#agent/kernel/host/processes/processes.ts'
import { type CaddyConfig, type Handler, type Route, readCaddyConfig } from './caddy-config.ts'
import { filesOnDisk } from './config-files.ts'
import { namesFor } from './mass-names.ts'
import {
  fastcgiAddress,
  type HostKind,
  type Listen,
  type MassHost,
  NO_PHP,
  type VirtualHost,
} from './virtual-host.ts'

/** The folder of certificates issued to Debian's Caddy. */
const STORE = '/var/lib/caddy/.local/share/caddy/certificates'
/** The matchers that apply to all visitors. */
const FOR_ALL = ['host', 'path', 'file', 'not']
const SERVING = ['file_server', 'reverse_proxy']
/** The maximum number of names of one site whose settings differ from each other. */
const MAX_NAMES = 1000
const PLACEHOLDER = '{http.request.host'
const HOST = /\{http\.request\.(host|host\.labels\.\d+)\}/g

type FindCertificate = (name: string) => Promise<string>

export async function readCaddy(host: Host, processes: readonly Process[]): Promise<VirtualHost[]> {
  const config = await readCaddyConfig(host, processes)
  const find = certificatesOf(host, config)
  const found = config.servers.map(({ listen, routes }) => {
    const listens = listen.map(listenOf)
    const forHosts = routes.filter((route) => hostsIn(route) !== undefined)
    const forAll = routes.filter((route) => hostsIn(route) === undefined)
    const parts = [...forHosts.map((route) => [route]), ...(forAll.length > 0 ? [forAll] : [])]
    return Promise.all(parts.map((part) => hostsOf(part, listens, find)))
  })
  return (await Promise.all(found)).flat(2)
}

/** Finds the certificate of a name; Caddy picks one of several loaded ones by name. */
function certificatesOf(host: Host, { certificates }: CaddyConfig): FindCertificate {
  const source = filesOnDisk(host)
  const [only] = certificates
  return async (name) => {
    if (certificates.length === 1) return only ?? ''
    const stored = name.replace(/^\*/, 'wildcard_')
    if (!/^[\w.-]+$/.test(stored)) return ''
    return (await source.expand(`${STORE}/*/${stored}/${stored}.crt`))[0] ?? ''
  }
}

function listenOf(written: string): Listen {
  const [, address = '', port = '443'] = /^(?:\w+\/)?(.*):(\d+)$/.exec(written) ?? []
  return { address, port: Number(port), tls: port !== '80', default: false }
}

/** Returns the hosts that a route is for; undefined for all. */
function hostsIn({ match = [] }: Route): string[] | undefined {
  const hosts = match.flatMap(({ host }) => host ?? [])
  return hosts.length > 0 ? hosts : undefined
}

/** Groups names with equal results: settings of a wildcard can be for some of its names. */
async function hostsOf(
  routes: readonly Route[],
  listens: readonly Listen[],
  find: FindCertificate,
): Promise<VirtualHost[]> {
  const outer = routes.flatMap((route) => hostsIn(route) ?? [])
  const inner = innerHosts(routes)
  const names = [...new Set([...(outer.length > 0 ? outer : ['']), ...inner])]
  if (inner.length === 0 && !JSON.stringify(routes).includes(PLACEHOLDER)) {
    const [name = ''] = names
    return [await withCertificate({ ...hostOf(routes, listens, name), names }, name, find)]
  }
  const found = new Map<string, VirtualHost & { names: string[] }>()
  for (const name of names.slice(0, MAX_NAMES)) {
    const covering = outer.find((pattern) => hostFits(pattern, name)) ?? ''
    if (outer.length > 0 && covering === '') continue
    const host = hostOf(routes, listens, name)
    const same = JSON.stringify(host)
    const known = found.get(same)
    if (known) known.names.push(name)
    else found.set(same, await withCertificate({ ...host, names: [name] }, covering, find))
  }
  return [...found.values()]
}

async function withCertificate<H extends VirtualHost>(
  host: H,
  covering: string,
  find: FindCertificate,
): Promise<H> {
  if (!host.tls) return host
  const certificate = (await find(host.names[0] ?? '')) || (await find(covering))
  if (certificate === '') return host
  const { tls: _, ...unknown } = host.unknown
  return { ...host, certificate, unknown }
}

function innerHosts(routes: readonly Route[]): string[] {
  return routes.flatMap(({ handle = [] }) =>
    handle.flatMap(({ routes: inner = [] }) => [
      ...inner.flatMap((route) => hostsIn(route) ?? []),
      ...innerHosts(inner),
    ]),
  )
}

/** Matches a pattern in which a star stands for one label. */
function hostFits(pattern: string, name: string): boolean {
  if (pattern === name || pattern === '') return true
  const labels = name.split('.')
  const parts = pattern.toLowerCase().split('.')
  return (
    parts.length === labels.length &&
    parts.every((part, at) => (part === '*' ? labels[at] !== '*' : part === labels[at]))
  )
}

function hostOf(
  routes: readonly Route[],
  listens: readonly Listen[],
  name: string,
): Omit<VirtualHost, 'names'> {
  const handlers = handlersIn(routes, name)
  const written = handlers.findLast(({ root }) => root !== undefined)?.root ?? ''
  const root = name === '' || name.includes('*') ? written : replaced(written, name)
  const fastcgi = handlers.find(({ transport }) => transport?.protocol === 'fastcgi')
  const proxy = fastcgi ? undefined : handlers.find((each) => each.handler === 'reverse_proxy')
  const tls = listens.some((listen) => listen.tls)
  const isFolder = root.startsWith('/') && !root.includes('{')
  const isMass = root !== '' && !isFolder && (name === '' || name.includes('*'))
  return {
    user: '',
    certificate: '',
    tls,
    listens: listens.map((listen) => ({ ...listen, default: name === '' })),
    kind: kindOf(handlers, root, proxy !== undefined),
    docroot: isFolder ? root.replace(/(?<=.)\/+$/, '') : '',
    php: { ...NO_PHP, address: dialed(fastcgi) },
    proxy: dialed(proxy),
    unknown: {
      ...(root !== '' && !isFolder && { docroot: 'computed' }),
      ...(tls && { tls: 'no_certificate_yet' }),
    },
    ...(isMass && { mass: massOf(routes, listens, name, root) }),
  }
}

/** Returns the folder of one host. */
function replaced(root: string, name: string): string {
  const labels = name.split('.').reverse()
  return root.replace(HOST, (all, part: string) =>
    part === 'host' ? name : (labels[Number(part.replace(/^.*\./, ''))] ?? all),
  )
}

function massOf(
  routes: readonly Route[],
  listens: readonly Listen[],
  pattern: string,
  root: string,
): MassHost {
  const fixed = root.split('{', 1)[0] ?? ''
  return {
    parent: fixed.slice(0, fixed.lastIndexOf('/')),
    namesFor: (folder) => namesFor(pattern, folder),
    names: [],
    answerTo: (name) =>
      hostFits(pattern, name) ? { ...hostOf(routes, listens, name), names: [name] } : undefined,
  }
}

/** Returns handlers for all paths or scripts of a host. Of a group, the first fit counts. */
function handlersIn(routes: readonly Route[], name: string): Handler[] {
  const groups = new Set<string>()
  return routes.flatMap((route) => {
    const { group = '', handle = [] } = route
    if (groups.has(group) || !isForAll(route, name)) return []
    if (group !== '') groups.add(group)
    return handle.flatMap((handler) => [handler, ...handlersIn(handler.routes ?? [], name)])
  })
}

function isForAll(route: Route, name: string): boolean {
  const { match = [] } = route
  const hosts = hostsIn(route)
  if (hosts && !hosts.some((pattern) => hostFits(pattern, name))) return false
  if (match.length > 0 && !match.some((each) => Object.keys(each).every(isKnown))) return false
  const paths = match.flatMap(({ path = [] }) => path)
  return paths.length === 0 || paths.some((path) => /^\/?\*$|\.php/.test(path))
}

const isKnown = (matcher: string) => FOR_ALL.includes(matcher)

function kindOf(handlers: readonly Handler[], root: string, proxied: boolean): HostKind {
  if (proxied) return 'proxy'
  if (handlers.some(({ handler }) => SERVING.includes(handler))) return 'files'
  const answer = handlers.find(({ handler }) => handler === 'static_response')
  return answer ? answered(answer, root) : 'none'
}

function answered({ abort, status_code }: Handler, root: string): HostKind {
  const code = abort ? 403 : Number(status_code ?? 200)
  if (code >= 400) return root === '' ? 'none' : 'closed'
  return code >= 300 ? 'none' : 'text'
}

/** Returns the address of the first upstream, such as `unix//run/php/shop.sock` `fpm:9000`. */
function dialed({ upstreams = [] }: Partial<Handler> = {}): string {
  return fastcgiAddress((upstreams[0]?.dial ?? '').replace(/^unix\//, '').replace(/^tcp\//, ''))
}
