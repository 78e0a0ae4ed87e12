import { dirname } from 'node:path'
import { MARK } from './generated.ts'
import { type Directive, parseNginx } from './nginx-config.ts'

/** One `listen`: `*` and `[::]` are all addresses of IPv4 and of IPv6. */
export interface Listen {
  address: string
  port: number
  words: readonly string[]
}

export interface NginxServer {
  /** The file that has it. */
  path: string
  names: readonly string[]
  root: string
  listens: readonly Listen[]
}

/** What nginx serves, in the order in which it reads it, and which patterns it includes. */
export interface NginxServers {
  /** Of others: without those that this agent made. */
  others: readonly NginxServer[]
  all: readonly NginxServer[]
  includes: readonly string[]
}

const MAX_DEPTH = 16
const OWN = /\/(?:zz-)?hosting-[^/]+$/

interface Walk {
  files: ReadonlyMap<string, string>
  folder: string
  servers: NginxServer[]
  includes: string[]
  seen: Set<string>
}

/** From what `nginx -T` prints. */
export function readServers(dump: string): NginxServers {
  const files = filesOf(dump)
  const [first = '/etc/nginx/nginx.conf'] = files.keys()
  const walk: Walk = { files, folder: dirname(first), servers: [], includes: [], seen: new Set() }
  visit(walk, first, [])
  const includes = [...walk.includes]
  // What a pattern that is not understood includes is read as well, in an order that nobody knows.
  for (const path of files.keys()) if (!walk.seen.has(path)) visit(walk, path, [])
  const { servers: all } = walk
  return { all, includes, others: all.filter(({ path }) => !isOwn(files, path)) }
}

const isOwn = (files: Walk['files'], path: string) =>
  OWN.test(path) && (files.get(path) ?? '').includes(MARK)

function filesOf(dump: string): Map<string, string> {
  const [, ...parts] = dump.split(/^# configuration file (.+):$/m)
  const files = new Map<string, string>()
  for (let at = 0; at + 1 < parts.length; at += 2) files.set(parts[at] ?? '', parts[at + 1] ?? '')
  return files
}

function visit(walk: Walk, path: string, chain: readonly string[]): void {
  if (chain.includes(path) || chain.length > MAX_DEPTH) return
  walk.seen.add(path)
  visitAll(walk, parseNginx(walk.files.get(path) ?? ''), [...chain, path])
}

function visitAll(walk: Walk, directives: readonly Directive[], chain: readonly string[]): void {
  for (const { name, args, block } of directives) {
    if (name === 'include') visitIncluded(walk, args[0] ?? '', chain)
    if (name === 'server' && block) {
      walk.servers.push(serverOf(chain.at(-1) ?? '', resolved(walk, block, chain)))
    }
    if (name === 'http' && block) visitAll(walk, block, chain)
  }
}

function visitIncluded(walk: Walk, pattern: string, chain: readonly string[]): void {
  walk.includes.push(pathOf(walk, pattern))
  for (const path of included(walk, pattern)) visit(walk, path, chain)
}

/** With what the block itself includes: names and addresses of a server may be there. */
function resolved(
  walk: Walk,
  block: readonly Directive[],
  chain: readonly string[],
): readonly Directive[] {
  if (chain.length > MAX_DEPTH) return block
  return block.flatMap((directive) => {
    if (directive.name !== 'include') return [directive]
    return included(walk, directive.args[0] ?? '').flatMap((path) => {
      walk.seen.add(path)
      return resolved(walk, parseNginx(walk.files.get(path) ?? ''), [...chain, path])
    })
  })
}

/** nginx prints the files of a pattern in the order in which it reads them. */
function included(walk: Walk, pattern: string): string[] {
  const expression = globOf(pathOf(walk, pattern))
  return [...walk.files.keys()].filter((file) => expression.test(file))
}

const pathOf = ({ folder }: Walk, pattern: string) =>
  pattern.startsWith('/') ? pattern : `${folder}/${pattern}`

/** A pattern of glob(7) with `*` and `?`, which is what configurations use. */
export function globOf(pattern: string): RegExp {
  const source = pattern.replace(/[.+^${}()|\\]/g, '\\$&').replace(/\*/g, '[^/]*')
  return new RegExp(`^${source.replace(/\?/g, '[^/]')}$`)
}

function serverOf(path: string, block: readonly Directive[]): NginxServer {
  const argsOf = (wanted: string) => block.filter(({ name }) => name === wanted)
  const listens = argsOf('listen').flatMap(({ args: [where = '', ...words] }) =>
    listenOf(where, words),
  )
  const implied = argsOf('listen').length === 0 ? [{ address: '*', port: 80, words: [] }] : []
  return {
    path,
    names: argsOf('server_name').flatMap(({ args }) => args.map(nameOf)),
    root: argsOf('root')[0]?.args[0] ?? '',
    listens: [...listens, ...implied],
  }
}

/** In an expression the case of a letter may mean something: `\\S`. */
const nameOf = (name: string) => (name.startsWith('~') ? name : name.toLowerCase())

/** `80`, `*:80`, `10.0.0.5`, `[::]:443`; not a socket of the file system. */
function listenOf(where: string, words: readonly string[]): Listen[] {
  if (where.startsWith('unix:')) return []
  if (/^\d+$/.test(where)) return [{ address: '*', port: Number(where), words }]
  const [, address = '', port = '80'] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(where) ?? []
  return address === '' ? [] : [{ address, port: Number(port), words }]
}

/** Address and port → the server that answers there for a name that none has. */
export function defaultsOf(servers: readonly NginxServer[]): Map<string, NginxServer> {
  const first = new Map<string, NginxServer>()
  const named = new Map<string, NginxServer>()
  for (const server of servers) {
    for (const { address, port, words } of server.listens) {
      const key = `${address}:${port}`
      if (!first.has(key)) first.set(key, server)
      if (words.includes('default_server') || words.includes('default')) named.set(key, server)
    }
  }
  return new Map([...first, ...named])
}

/** Where another server has a wildcard or an expression that serves this name: its file and name. */
export function takenFrom(
  { others }: Pick<NginxServers, 'others'>,
  name: string,
): { path: string; name: string } | undefined {
  for (const { path, names } of others) {
    const found = names.find((written) => covers(written, name))
    if (found !== undefined) return { path, name: found }
  }
  return undefined
}

/** As in ngx_http_core_module's server_name; an expression that JavaScript cannot read covers nothing. */
function covers(written: string, name: string): boolean {
  if (written.startsWith('*.')) return name.endsWith(written.slice(1))
  if (written.startsWith('.')) return name.endsWith(written) || name === written.slice(1)
  if (written.endsWith('.*')) return name.startsWith(written.slice(0, -1))
  if (!written.startsWith('~')) return false
  try {
    return new RegExp(written.slice(1).replaceAll('?P<', '?<'), 'i').test(name)
  } catch {
    return false
  }
}
