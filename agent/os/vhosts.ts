import { apexOf, canonicalDomain } from '#shared/names.ts'
import type { Host } from '../host/ports.ts'
import { type Directive, readNginxConfig } from './nginx-config.ts'

/** One site as nginx serves it. Empty strings: it has none. */
export interface Vhost {
  domain: string
  names: readonly string[]
  docroot: string
  /** Where PHP is asked: `/run/php/shop.sock` or `127.0.0.1:9000`. */
  socket: string
  certificate: string
}

interface Inherited {
  root: string
  certificate: string
  upstreams: ReadonlyMap<string, string>
}

/**
 * Every site that nginx serves. A server for the catch-all or one that only redirects is none; the
 * servers of one name, with and without www, on 80 and on 443, are one.
 */
export async function listVhosts(host: Host): Promise<Vhost[]> {
  const config = await readNginxConfig(host)
  const http = config.flatMap(({ name, block }) => (name === 'http' ? (block ?? []) : []))
  const scope = http.length > 0 ? http : config
  const inherited: Inherited = {
    root: firstOf(scope, 'root'),
    certificate: firstOf(scope, 'ssl_certificate'),
    upstreams: upstreamsOf(scope),
  }
  const sites = new Map<string, Vhost>()
  for (const { name, block } of scope) {
    const found = name === 'server' && block ? siteOf(block, inherited) : undefined
    if (!found) continue
    const key = apexOf(found.domain)
    const before = sites.get(key)
    sites.set(key, before ? merged(before, found) : found)
  }
  return [...sites.values()]
}

function siteOf(server: readonly Directive[], inherited: Inherited): Vhost | undefined {
  const names = server
    .flatMap(({ name, args }) => (name === 'server_name' ? args : []))
    .map(nameOf)
    .filter((name) => name !== undefined)
  const [domain] = names
  const root = (firstOf(server, 'root') || rootOfSlash(server) || inherited.root).replace(/\/$/, '')
  if (domain === undefined || redirects(server) || !serves(server, root)) return undefined
  const certificate = firstOf(server, 'ssl_certificate') || inherited.certificate
  const pass = find(server, 'fastcgi_pass')?.args[0] ?? ''
  return {
    domain,
    names,
    docroot: root.startsWith('/') && !root.includes('$') ? root : '',
    socket: socketOf(inherited.upstreams.get(pass) ?? pass),
    certificate: usesTls(server) ? certificate : '',
  }
}

/** Wildcards, expressions, `_` and `localhost` are no names of a site; `.a.example` is a.example too. */
function nameOf(written: string): string | undefined {
  return canonicalDomain(written.startsWith('.') ? written.slice(1) : written)
}

/** `return` for every address, or for all but the ACME tokens (ngx_http_rewrite_module). */
function redirects(server: readonly Directive[]): boolean {
  if (server.some(({ name }) => name === 'return')) return true
  return slash(server)?.block?.some(({ name }) => name === 'return') ?? false
}

function serves(server: readonly Directive[], root: string): boolean {
  return root !== '' || ['fastcgi_pass', 'proxy_pass', 'uwsgi_pass'].some((n) => find(server, n))
}

function rootOfSlash(server: readonly Directive[]): string {
  return firstOf(slash(server)?.block ?? [], 'root')
}

function slash(server: readonly Directive[]): Directive | undefined {
  return server.find(({ name, args }) => name === 'location' && args.at(-1) === '/')
}

function usesTls(server: readonly Directive[]): boolean {
  return server.some(
    ({ name, args }) =>
      (name === 'listen' && args.includes('ssl')) || (name === 'ssl' && args[0] === 'on'),
  )
}

function upstreamsOf(scope: readonly Directive[]): Map<string, string> {
  return new Map(
    scope
      .filter(({ name }) => name === 'upstream')
      .map(({ args, block }) => [args[0] ?? '', firstOf(block ?? [], 'server')]),
  )
}

function socketOf(pass: string): string {
  return pass.replace(/^unix:/, '').replace(/:$/, '')
}

/** What one server says the other need not: TLS stands on 443, the files often on one of the two. */
function merged(one: Vhost, other: Vhost): Vhost {
  const names = [...new Set([...one.names, ...other.names])]
  const bare = names.includes(apexOf(one.domain)) ? apexOf(one.domain) : one.domain
  return {
    domain: one.domain === other.domain ? one.domain : bare,
    names,
    docroot: one.docroot || other.docroot,
    socket: one.socket || other.socket,
    certificate: one.certificate || other.certificate,
  }
}

function firstOf(directives: readonly Directive[], wanted: string): string {
  return directives.find(({ name }) => name === wanted)?.args[0] ?? ''
}

function find(directives: readonly Directive[], wanted: string): Directive | undefined {
  for (const directive of directives) {
    const found = directive.name === wanted ? directive : find(directive.block ?? [], wanted)
    if (found) return found
  }
  return undefined
}
