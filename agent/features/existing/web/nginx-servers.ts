import { dirname } from 'node:path'
import { MARK } from '#agent/kernel/effects/generated.ts'
import { filesInDump } from './config-files.ts'
import { expression } from './expression.ts'
import type { Block } from './nginx-config.ts'
import { filesOf } from './nginx-dump.ts'
import { type NginxTree, readTree } from './nginx-tree.ts'
import { wildcardFits } from './nginx-variables.ts'

/** A `listen` directive: `*` is all IPv4 addresses and `[::]` all of IPv6. */
export interface NginxListen {
  address: string
  port: number
  words: readonly string[]
}

export interface NginxServer {
  /** The path of its file. */
  path: string
  names: readonly string[]
  root: string
  listens: readonly NginxListen[]
}

/** The servers of nginx in the order of reading, and the patterns of its includes. */
export interface NginxServers {
  /** All except those that this agent made. */
  others: readonly NginxServer[]
  all: readonly NginxServer[]
  includes: readonly string[]
}

const OWN = /\/(?:zz-)?hosting-[^/]+$/

/** Parses the output of `nginx -T`. */
export async function readServers(dump: string): Promise<NginxServers> {
  const files = filesOf(dump)
  const [first = '/etc/nginx/nginx.conf'] = files.keys()
  const tree = await readTree(filesInDump(files), dirname(first), first)
  const rest = [...files.keys()].filter((path) => !tree.files.has(path))
  // Files of a pattern that is not understood are read too, in an unknown order.
  const others = await Promise.all(
    rest.map((path) => readTree(filesInDump(files), dirname(first), path)),
  )
  const all = [tree, ...others].flatMap((each) => serversIn(each, each.directives))
  const { includes } = tree
  return { all, includes, others: all.filter(({ path }) => !isOwn(files, path)) }
}

const isOwn = (files: ReadonlyMap<string, string>, path: string) =>
  OWN.test(path) && (files.get(path) ?? '').includes(MARK)

function serversIn(tree: NginxTree, directives: Block): NginxServer[] {
  return directives.flatMap(({ name, block }) => {
    if (!block) return []
    if (name === 'server') return [serverOf(tree.fileOf(block), block)]
    return name === 'http' ? serversIn(tree, block) : []
  })
}

function serverOf(path: string, block: Block): NginxServer {
  const argsOf = (directive: string) => block.filter(({ name }) => name === directive)
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

/** Keeps the case of an expression, where it may have a meaning: `\\S`. */
const nameOf = (name: string) => (name.startsWith('~') ? name : name.toLowerCase())

/** Parses `80`, `*:80`, `10.0.0.5`, `[::]:443`; not a socket of the file system. */
function listenOf(where: string, words: readonly string[]): NginxListen[] {
  if (where.startsWith('unix:')) return []
  if (/^\d+$/.test(where)) return [{ address: '*', port: Number(where), words }]
  const [, address = '', port = '80'] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(where) ?? []
  return address === '' ? [] : [{ address, port: Number(port), words }]
}

/** Returns the default server of each address and port, for names that no server has. */
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

/** Finds another server's wildcard or expression that matches this name: its file and name. */
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

/** Matches as ngx_http_core_module's server_name; unknown expressions match nothing. */
function covers(written: string, name: string): boolean {
  if (!written.startsWith('~')) return wildcardFits(written, name)
  return expression(written.slice(1), true)?.matches(name) ?? false
}
