import { expression } from './expression.ts'
import { isAnyName, namesFor } from './mass-names.ts'
import { ANY_PAGE, answerOf, deniesAll, type OwnAnswer } from './nginx-answers.ts'
import type { Block, Directive } from './nginx-config.ts'
import {
  certainPart,
  evaluate,
  mapsOf,
  type NginxVariables,
  setsOf,
  wildcardFits,
} from './nginx-variables.ts'
import {
  fastcgiAddress,
  type HostKind,
  type Listen,
  type MassHost,
  NO_PHP,
  type VirtualHost,
} from './virtual-host.ts'

/** The settings that all servers share. */
interface HttpContext {
  root: string | undefined
  certificate: string | undefined
  upstreams: ReadonlyMap<string, string>
  maps: NginxVariables['maps']
}

const ROOTS = ['root', 'alias']
const FASTCGI = ['fastcgi_pass']
const PROXIES = ['proxy_pass', 'uwsgi_pass', 'scgi_pass', 'grpc_pass']

/** Returns the result of nginx for every known name; `$hostname` is that of the machine. */
export function nginxHosts(config: Block, hostname = ''): VirtualHost[] {
  const inner = config.flatMap(({ name, block }) => (name === 'http' ? (block ?? []) : []))
  const scope = inner.length > 0 ? inner : config
  const http = {
    root: innermost([scope], ['root']),
    certificate: certificateIn(scope),
    upstreams: upstreamsOf(scope),
    maps: mapsOf(scope),
  }
  const servers = scope.flatMap(({ name, block }) => (name === 'server' && block ? [block] : []))
  return defaultServers(servers, hostname).flatMap((server) => hostsOf(http, server))
}

const LITERAL = /^[\w-]+(\.[\w-]+)*$/

/** Groups names with equal results; a variable can distinguish them. */
function hostsOf(http: HttpContext, server: ListenedServer): VirtualHost[] {
  const { listens, names, server: block } = server
  const context = { sets: setsOf(block), maps: http.maps, tls: listens.some(({ tls }) => tls) }
  const found = new Map<string, VirtualHost & { names: string[] }>()
  let shared: (VirtualHost & { names: string[] }) | undefined
  for (const name of names) {
    if (shared) {
      shared.names.push(name)
      continue
    }
    const { done, uses_host } = answerForName(http, server, context, name)
    const same = JSON.stringify(done)
    const host = found.get(same) ?? { ...done, names: [], listens, tls: context.tls, user: '' }
    host.names.push(name)
    found.set(same, host)
    if (!uses_host) shared = host
    if (done.unknown.docroot === 'computed' && !isLiteral(name))
      host.mass ??= massOf(http, server, context, name)
  }
  return [...found.values()]
}

const isLiteral = (name: string) => LITERAL.test(name) && name !== '_'

type NameContext = Pick<NginxVariables, 'sets' | 'maps' | 'tls'>

function answerForName(
  http: HttpContext,
  { server, names }: ListenedServer,
  context: NameContext,
  name: string,
  captures?: ReadonlyMap<string, string>,
) {
  let uses_host = false
  const variables = {
    ...context,
    server_name: names[0] ?? '',
    ...(captures && { captures }),
    get host() {
      uses_host = true
      return isLiteral(name) ? name.toLowerCase() : undefined
    },
  }
  return { done: answerFor(http, server, variables), uses_host: uses_host || name.startsWith('~') }
}

/** Returns the sites of a name that stands for many: a wildcard, an expression, any name. */
function massOf(
  http: HttpContext,
  server: ListenedServer,
  context: NameContext,
  pattern: string,
): MassHost {
  const { names, server: block, listens } = server
  const root = rootOf(http, block)
  const unknown_host = { ...context, host: undefined, server_name: names[0] ?? '' }
  const fixed = certainPart(root ?? '', unknown_host)
  const captures = (name: string) =>
    pattern.startsWith('~') ? expression(pattern.slice(1), true)?.captures(name) : new Map()
  return {
    parent: fixed.slice(0, fixed.lastIndexOf('/')) || (fixed === '/' ? '/' : ''),
    namesFor: (folder) => namesFor(pattern, folder),
    names: isAnyName(pattern) ? namesInMaps(http) : [],
    answerTo(name) {
      const captured = captures(name)
      if (
        !captured ||
        !(isAnyName(pattern) || pattern.startsWith('~') || wildcardFits(pattern, name))
      )
        return undefined
      const { done } = answerForName(http, server, context, name, captured)
      return { ...done, names: [name], listens, tls: context.tls, user: '' }
    },
  }
}

type ServedAnswer = Omit<VirtualHost, 'names' | 'listens' | 'tls' | 'user' | 'mass'>

function answerFor(http: HttpContext, server: Block, variables: NginxVariables): ServedAnswer {
  const page = blocksFor(server, ANY_PAGE)
  const script = blocksFor(server, '/index.php')
  const answer = answerIn(page, variables)
  const pass = passIn(server, script, FASTCGI) ?? passIn(server, page, FASTCGI)
  const fastcgi = pass?.to
  const proxy = pass ? undefined : passIn(server, page, PROXIES)
  const root = rootFor(http, page, fastcgi ? script : [], variables)
  const php = fastcgi === undefined ? '' : addressOf(http, fastcgi, variables)
  const certificate = variables.tls ? certificateOf(http, server, variables) : ''
  const path = isServed(root, answer, proxy) ? root.path : ''
  return {
    kind: kindOf(answer, proxy !== undefined, root, fastcgi !== undefined),
    docroot: path ?? '',
    php: { ...NO_PHP, address: fastcgiAddress(php ?? '') },
    proxy: proxy ? proxyAddress(addressOf(http, proxy.to, variables) ?? '') : '',
    certificate: certificate ?? '',
    unknown: unknownIfComputed({ docroot: path, php, tls: certificate }),
  }
}

/** Returns whether the folder is served; an inherited one only if the server does nothing else. */
function isServed(
  root: DocumentRoot,
  answer: OwnAnswer,
  proxy: { after_files: boolean } | undefined,
) {
  if (proxy?.after_files === false) return false
  return !root.inherited || (proxy === undefined && answer === undefined)
}

/** Marks the values that depend on the request. */
function unknownIfComputed(values: Record<string, string | undefined>): VirtualHost['unknown'] {
  const fields = Object.keys(values).filter((field) => values[field] === undefined)
  return Object.fromEntries(fields.map((field) => [field, 'computed' as const]))
}

/** Returns the kind; a closed server without its own folder is not a site. */
function kindOf(
  answer: OwnAnswer,
  proxied: boolean,
  root: DocumentRoot,
  fastcgi: boolean,
): HostKind {
  if (answer === 'closed') return (root.written && !root.inherited) || fastcgi ? 'closed' : 'none'
  if (answer === 'redirect') return 'none'
  if (answer) return answer
  if (proxied) return 'proxy'
  return root.written || fastcgi ? 'files' : 'none'
}

function answerIn(blocks: readonly Block[], variables: NginxVariables): OwnAnswer {
  return blocks
    .map((block) => answerOf(block, variables) ?? (deniesAll(block) ? 'closed' : undefined))
    .find((answer) => answer !== undefined)
}

interface DocumentRoot {
  /** The path of the document root, empty without one; undefined when it cannot be computed. */
  path: string | undefined
  written: boolean
  /** True when it is set in `http`, for all servers and not for one site. */
  inherited: boolean
}

/** Returns the document root for any page of a server, as it is written; undefined without one. */
function rootOf(http: HttpContext, server: Block): string | undefined {
  const page = blocksFor(server, ANY_PAGE)
  const script = blocksFor(server, '/index.php')
  return innermost(page, ROOTS) ?? innermost(script, ROOTS) ?? http.root
}

function rootFor(
  http: HttpContext,
  page: Block[],
  script: Block[],
  variables: NginxVariables,
): DocumentRoot {
  const own = innermost(page, ROOTS) ?? innermost(script, ROOTS)
  const written = own ?? http.root
  if (written === undefined) return { path: '', written: false, inherited: false }
  const value = evaluate(written, variables)
  const path = value?.startsWith('/') === false ? `/usr/share/nginx/${value}` : value
  const clean = path?.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
  return { path: clean, written: true, inherited: own === undefined }
}

function innermost(blocks: readonly Block[], names: readonly string[]): string | undefined {
  const found = blocks.map((block) => block.findLast(({ name }) => names.includes(name)))
  return found.findLast((directive) => directive !== undefined)?.args[0]
}

/** Finds the directive in the innermost block, or in the named location that it falls back to. */
function passIn(server: Block, blocks: readonly Block[], names: readonly string[]) {
  const block = blocks.at(-1) ?? []
  const find = (directives: Block) => directives.find(({ name }) => names.includes(name))?.args[0]
  const direct = find(block)
  if (direct !== undefined) return { to: direct, after_files: false }
  const fallback = find(fallbackOf(server, block))
  return fallback === undefined ? undefined : { to: fallback, after_files: true }
}

/** The named location of `try_files … @name` or `error_page 404 = @name`. */
function fallbackOf(server: Block, block: Block): Block {
  const last = block.find(({ name }) => name === 'try_files')?.args.at(-1)
  const error = block.find(({ name, args }) => name === 'error_page' && args.at(-1)?.[0] === '@')
  const named = last?.startsWith('@') ? last : error?.args.at(-1)
  const isNamed = ({ name, args }: Directive) => name === 'location' && args[0] === named
  return (named && server.find(isNamed)?.block) || []
}

/** Returns the address of FastCGI or a proxy; resolves variables and upstreams. */
function addressOf(http: HttpContext, pass: string, variables: NginxVariables): string | undefined {
  const value = evaluate(pass, variables)
  if (value === undefined) return undefined
  const [, scheme = '', rest = ''] = /^(\w+:\/\/)?(.*)$/s.exec(value) ?? []
  const [name = ''] = rest.split('/')
  const upstream = http.upstreams.get(rest) ?? http.upstreams.get(name)
  return upstream === undefined ? value : `${scheme}${upstream}`
}

/** Returns 127.0.0.1:8080 for `http://127.0.0.1:8080/x`; a socket is its path. */
function proxyAddress(url: string): string {
  const rest = url.replace(/^\w+:\/\//, '')
  const [, socket] = /^unix:([^:]*)/.exec(rest) ?? []
  if (socket !== undefined) return fastcgiAddress(socket)
  const [place = ''] = rest.split('/')
  const port = url.startsWith('https:') ? '443' : '80'
  return fastcgiAddress(/:\d+$/.test(place) ? place : `${place}:${port}`)
}

function certificateOf(
  http: HttpContext,
  server: Block,
  variables: NginxVariables,
): string | undefined {
  return evaluate(certificateIn(server) ?? http.certificate ?? '', variables)
}

const certificateIn = (block: Block) =>
  block.find(({ name }) => name === 'ssl_certificate')?.args[0]

function upstreamsOf(scope: Block): Map<string, string> {
  return new Map(
    scope
      .filter(({ name }) => name === 'upstream')
      .map(({ args, block }) => {
        const servers = (block ?? []).filter(({ name }) => name === 'server')
        const working = servers.find((each) => !/^(backup|down)$/.test(each.args.at(-1) ?? ''))
        return [args[0] ?? '', (working ?? servers[0])?.args[0] ?? '']
      }),
  )
}

/** Returns the names in maps of the visitors' host. */
function namesInMaps({ maps }: HttpContext): string[] {
  return [...maps.values()]
    .filter(({ source }) => /^\$\{?(http_)?host\}?$/.test(source))
    .flatMap(({ exact }) => [...exact.keys()])
}

/** Returns the blocks that apply to a path, outermost first (as ngx_http_core_module). */
function blocksFor(server: Block, path: string): Block[] {
  return [server, ...locate(server, path)]
}

function locate(block: Block, path: string): Block[] {
  const locations = block.filter(({ name, block: inner }) => name === 'location' && inner)
  const exact = locations.find(({ args }) => args[0] === '=' && args[1] === path)
  if (exact?.block) return [exact.block]
  const prefix = longestPrefix(locations, path)
  const inner = prefix?.block ? locate(prefix.block, path) : []
  const inPrefix = prefix?.block ? [prefix.block, ...inner] : []
  // A nested expression matches, or the prefix excludes expressions.
  if (inner.some((each) => isExpression(prefix?.block, each)) || prefix?.args[0] === '^~')
    return inPrefix
  const fits = locations.find((location) => matches(location, path))
  return fits?.block ? [fits.block, ...locate(fits.block, path)] : inPrefix
}

function isExpression(outer: Block | undefined, inner: Block): boolean {
  return outer?.some(({ args, block }) => block === inner && /^~/.test(args[0] ?? '')) ?? false
}

function longestPrefix(locations: Block, path: string): Directive | undefined {
  const prefixOf = ({ args }: Directive) => (args.length === 1 ? args[0] : args[1]) ?? ''
  const fitting = locations.filter((location) => {
    const [sign = ''] = location.args
    return !/^[~=@]/.test(sign) && path.startsWith(prefixOf(location))
  })
  return fitting.reduce<Directive | undefined>(
    (best, each) => (best && prefixOf(best).length >= prefixOf(each).length ? best : each),
    undefined,
  )
}

/** Matches `location ~ x`, `~* x`, and without a space `~x`. */
function matches({ args }: Directive, path: string): boolean {
  const [, sign = '', glued = ''] = /^(~\*?)(.*)$/s.exec(args[0] ?? '') ?? []
  if (sign === '') return false
  const pattern = expression(glued || (args[1] ?? ''), sign === '~*')
  return pattern?.matches(path) ?? false
}

interface ListenedServer {
  server: Block
  names: readonly string[]
  listens: readonly Listen[]
}

/** Returns servers with their listens, and which is the default of an address and port. */
function defaultServers(servers: readonly Block[], hostname: string): ListenedServer[] {
  const read = servers.map((server) => ({
    server,
    names: namesOf(server, hostname),
    listens: listensOf(server),
  }))
  const keyOf = ({ address, port }: Listen) => `${address}:${port}`
  const explicit = new Set(
    read.flatMap(({ listens }) => listens.filter((listen) => listen.default).map(keyOf)),
  )
  const seen = new Set(explicit)
  return read.map(({ server, names, listens }) => ({
    server,
    names,
    listens: listens.map((listen) => {
      const key = keyOf(listen)
      const first = !seen.has(key)
      seen.add(key)
      return { ...listen, default: listen.default || first }
    }),
  }))
}

function namesOf(server: Block, hostname: string): string[] {
  const written = server.flatMap(({ name, args }) => (name === 'server_name' ? args : []))
  const names = written.map((name) => (name === '$hostname' ? hostname : name))
  return names.length > 0 ? [...new Set(names)] : ['']
}

function listensOf(server: Block): Listen[] {
  const ssl = server.some(({ name, args }) => name === 'ssl' && args[0] === 'on')
  const written = server.filter(({ name }) => name === 'listen').map(({ args }) => args)
  return (written.length > 0 ? written : [['80']]).map(([place = '', ...options]) => ({
    ...placeOf(place),
    ...(place.startsWith('[::]') && !options.includes('ipv6only=off') && { only_ipv6: true }),
    tls: ssl || options.includes('ssl') || options.includes('quic'),
    default: options.includes('default_server') || options.includes('default'),
  }))
}

/** Parses `80`, `*:80`, `[::]:80`, `10.0.0.1:80`, `10.0.0.1`, `unix:/run/x.sock`. */
function placeOf(place: string): { address: string; port: number } {
  if (place.startsWith('unix:')) return { address: place, port: 0 }
  if (/^\d+$/.test(place)) return { address: '', port: Number(place) }
  const [, address = place, port = '80'] = /^(.*):(\d+)$/.exec(place) ?? []
  const isAny = ['*', '[::]', '0.0.0.0'].includes(address)
  return { address: isAny ? '' : address, port: Number(port) }
}
