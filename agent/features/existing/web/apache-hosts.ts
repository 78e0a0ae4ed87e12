import type { UnknownReason } from '#shared/servers/unknown-reasons.ts'
import type { ApacheConfig } from './apache-config.ts'
import type { Block } from './apache-lines.ts'
import { type ApachePhp, phpOf } from './apache-php.ts'
import { globOf } from './glob.ts'
import { isAnyName, namesFor } from './mass-names.ts'
import {
  fastcgiAddress,
  type HostKind,
  type Listen,
  type MassHost,
  NO_PHP,
  type Php,
  type VirtualHost,
} from './virtual-host.ts'

/** Returns the result of Apache for every known name, in the order of its configuration. */
export function apacheHosts({ directives, modules }: ApacheConfig): VirtualHost[] {
  const seen = new Set<string>()
  const hosts = directives.filter(({ name, block }) => name === 'virtualhost' && block)
  const server = directives.filter(({ name }) => name !== 'virtualhost')
  const found = hosts.flatMap(({ args, block = [] }) =>
    hostsOf(block, { server, modules, listens: listensOf(args, seen, block) }),
  )
  return found.length > 0 ? found : mainServer(server, modules)
}

interface HostContext {
  server: Block
  modules: ReadonlySet<string>
  listens: Listen[]
}

/** Returns the server itself as a site for every name, when there is no virtual host. */
function mainServer(server: Block, modules: ReadonlySet<string>): VirtualHost[] {
  const ports = server.filter(({ name }) => name === 'listen').map(({ args }) => args[0] ?? '')
  if (!valueIn(server, 'documentroot') && !valueIn(server, 'virtualdocumentroot')) return []
  return hostsOf(server, { server, modules, listens: listensOf(ports, new Set(), server) })
}

/** Returns one virtual host, and one per name if its folder depends on the name. */
function hostsOf(block: Block, around: HostContext): VirtualHost[] {
  const { server } = around
  const template = valueIn(block, 'virtualdocumentroot') || valueIn(server, 'virtualdocumentroot')
  const computed = [...block, ...server].some(({ name }) => name.startsWith('virtualdocumentroot'))
  const written = valueIn(block, 'documentroot') || valueIn(server, 'documentroot')
  const docroot = computed || written.includes('${') ? undefined : folderOf(written)
  const host = servedFrom(block, around, docroot)
  if (template === '') return [host]
  const mass = massOf(block, around, template)
  const known = new Map(host.names.map((name) => [name, mass.answerTo(name)]))
  const patterns = host.names.filter((name) => isPattern(name) || !known.get(name))
  const own = host.names.flatMap((name) => (isPattern(name) ? [] : (known.get(name) ?? [])))
  return patterns.length > 0 ? [{ ...host, names: patterns, mass }, ...own] : own
}

const isPattern = (name: string) => isAnyName(name) || /[*?]/.test(name)

const folderOf = (written: string) => written.replace(/\/{2,}/g, '/').replace(/(?<=.)\/+$/, '')

function servedFrom(block: Block, around: HostContext, docroot: string | undefined): VirtualHost {
  const { server, modules, listens } = around
  const proxy = proxyOf(block)
  const { php, reason } = knownPhp(
    proxy === '' ? phpOf(block, server, docroot ?? '', modules) : NO_PHP,
  )
  const tls = listens.some((listen) => listen.tls)
  return {
    names: namesOf(block),
    listens,
    kind: kindOf(block, docroot, proxy, listens),
    docroot: proxy === '' ? (docroot ?? '') : '',
    php,
    proxy,
    certificate: tls ? certificateOf(block, server) : '',
    tls,
    user: userOf(block),
    unknown: {
      ...(docroot === undefined && { docroot: 'computed' }),
      ...(reason && { php: reason }),
    },
  }
}

/** Returns the hosts of mod_vhost_alias, whose folder is made of parts of the visitors' host. */
function massOf(block: Block, around: HostContext, template: string): MassHost {
  const fixed = template.split('%', 1)[0] ?? ''
  const names = namesOf(block)
  return {
    parent: fixed.slice(0, fixed.lastIndexOf('/')),
    namesFor: (folder) => [...new Set(names.flatMap((name) => namesFor(name, folder)))],
    names: [],
    answerTo(name) {
      const docroot = folderFor(template, name)
      const answers = names.some((each) => isAnyName(each) || patternFits(each, name))
      if (!answers || docroot === undefined) return undefined
      return { ...servedFrom(block, around, folderOf(docroot)), names: [name] }
    },
  }
}

/** Returns the folder that a template gives a name; undefined for a part that is not known. */
function folderFor(template: string, name: string): string | undefined {
  let certain = true
  const folder = template.replace(VARIABLE, (_, part: string, characters: string | undefined) => {
    const value = part === '%' ? part : partOf(name.split('.'), part)
    certain &&= value !== undefined && characters === undefined
    return value ?? ''
  })
  return certain ? folder : undefined
}

/** Matches `%0`, `%1`, `%-1`, `%2+`; after a dot the number of a character, as in `%1.1`. */
const VARIABLE = /%(%|-?\d+\+?|.)(\.-?\d+\+?)?/g

function partOf(labels: readonly string[], part: string): string | undefined {
  const [, sign = '', digits = '', plus = ''] = /^(-?)(\d+)(\+?)$/.exec(part) ?? []
  if (digits === '') return undefined
  if (digits === '0') return labels.join('.')
  const at = sign === '' ? Number(digits) - 1 : labels.length - Number(digits)
  const rest = sign === '' ? labels.slice(at) : labels.slice(0, at + 1)
  return (plus === '' ? labels[at] : rest.join('.')) || undefined
}

/** Matches a name with `*` or `?`, as in ServerAlias. */
const patternFits = (pattern: string, name: string) =>
  isPattern(pattern) ? globOf(pattern.toLowerCase())(name) : pattern === name

function knownPhp(php: ApachePhp): { php: Php; reason?: UnknownReason } {
  if (php === 'wrapper') return { php: NO_PHP, reason: 'wrapper' }
  if (php.version !== 'unknown') return { php }
  return { php: { ...php, version: '' }, reason: 'module_version' }
}

function namesOf(block: Block): string[] {
  const own = valueIn(block, 'servername')
    .replace(/^\w+:\/\//, '')
    .replace(/:\d+$/, '')
  const aliases = block.flatMap(({ name, args }) => (name === 'serveralias' ? args : []))
  return own === '' ? ['', ...aliases] : [...new Set([own, ...aliases])]
}

function listensOf(args: readonly string[], seen: Set<string>, block: Block): Listen[] {
  const tls = valueIn(block, 'sslengine').toLowerCase() === 'on'
  return args.map((written) => {
    const { place, port } = placeOf(written)
    const address = ['*', '_default_', '[::]', '0.0.0.0', ''].includes(place) ? '' : place
    const key = `${address}:${port}`
    const first = !seen.has(key)
    seen.add(key)
    return { address, port: port === '*' ? 80 : Number(port), tls, default: first }
  })
}

/** Parses `*:80`, `80`, `203.0.113.1`, `[2001:db8::1]:443`: without a port it is all ports. */
function placeOf(written: string): { place: string; port: string } {
  if (/^\d+$/.test(written)) return { place: '', port: written }
  const [, place = written, port = '*'] = /^(\[[^\]]*\]|[^:]*):(\d+|\*)$/.exec(written) ?? []
  return { place, port }
}

function kindOf(
  block: Block,
  docroot: string | undefined,
  proxy: string,
  listens: readonly Listen[],
): HostKind {
  const moved = block.find(({ name, args }) => /^redirect/.test(name) && isWhole(args))
  if (moved) return /^(4\d\d|5\d\d|gone)$/.test(moved.args[0] ?? '') ? 'closed' : 'none'
  if (rewritesAway(block, listens)) return 'none'
  if (deniesAll(block, docroot ?? '')) return 'closed'
  if (proxy !== '') return 'proxy'
  return docroot === '' ? 'none' : 'files'
}

/** Returns whether it applies to all paths, such as `RedirectMatch ^/(.*) https://…`. */
function isWhole(args: readonly string[]): boolean {
  const from = args.find((word) => !/^(permanent|temp|seeother|gone|\d{3})$/.test(word))
  return from === '/' || /^\^?(\/?\(?\.\*\)?)?\$?$/.test(from ?? 'no')
}

/**
 * Returns whether a rule redirects every visitor. Its conditions may exclude ACME tokens, or select
 * requests without TLS if the virtual host has no TLS.
 */
function rewritesAway(block: Block, listens: readonly Listen[]): boolean {
  let conditions: (readonly string[])[] = []
  const tls = listens.some((listen) => listen.tls)
  for (const { name, args } of block) {
    if (name === 'rewritecond') conditions.push(args)
    if (name !== 'rewriterule') continue
    const [pattern = '', target = '', flags = ''] = args
    const every = /^(\^?(\/?\(?\.[*+]\)?)?\$?|\^\/?)$/.test(pattern)
    const leaves = /^https?:\/\//.test(target) && /\b(R|redirect)\b/.test(flags)
    if (every && leaves && conditions.every((condition) => isForAll(condition, tls))) return true
    conditions = []
  }
  return false
}

function isForAll([test = '', pattern = '']: readonly string[], tls: boolean): boolean {
  if (test === '%{REQUEST_URI}') return pattern.startsWith('!')
  if (test === '%{HTTPS}' || test === '%{SERVER_PORT}') return !tls
  return test === '%{SERVER_NAME}' && pattern.startsWith('=')
}

function deniesAll(block: Block, docroot: string): boolean {
  return block.some(({ name, args, block: inner }) => {
    const isRoot = name === 'directory' ? args[0]?.replace(/\/$/, '') === docroot : args[0] === '/'
    if (!inner || !isRoot || !['directory', 'location'].includes(name)) return false
    const requires = inner.filter((each) => each.name === 'require')
    return requires.length === 1 && requires[0]?.args.join(' ').toLowerCase() === 'all denied'
  })
}

/** Returns the proxy for all paths, as in `ProxyPass / http://localhost:3000/`, `<Location />`. */
function proxyOf(block: Block): string {
  const direct = block.find(({ name, args }) => name === 'proxypass' && args[0] === '/')?.args[1]
  const inner = block.find(({ name, args }) => name === 'location' && args[0] === '/')?.block
  const target = direct ?? inner?.find(({ name }) => name === 'proxypass')?.args[0] ?? ''
  if (!/^(https?|unix|ajp|ws|balancer|h2c?):/.test(target)) return ''
  const [, socket] = /^unix:([^|]+)\|/.exec(target) ?? []
  const place = /^\w+:\/\/([^/]+)/.exec(target)?.[1] ?? ''
  return fastcgiAddress(socket ?? (/:\d+$/.test(place) ? place : `${place}:80`))
}

function certificateOf(block: Block, server: Block): string {
  return valueIn(block, 'sslcertificatefile') || valueIn(server, 'sslcertificatefile')
}

/** Returns the user of suexec, mpm-itk or mod_ruid2. */
function userOf(block: Block): string {
  const names = ['suexecusergroup', 'assignuserid', 'ruidgid']
  return block.find(({ name }) => names.includes(name))?.args[0] ?? ''
}

function valueIn(block: Block, directive: string): string {
  return block.findLast(({ name }) => name === directive)?.args[0] ?? ''
}
