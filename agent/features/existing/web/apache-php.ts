import type { ApacheDirective, Block } from './apache-lines.ts'
import { expression } from './expression.ts'
import { fastcgiAddress, NO_PHP, type Php } from './virtual-host.ts'

/** `wrapper` is a separate program that starts PHP, and only that program knows which. */
export type ApachePhp = Php | 'wrapper'

/**
 * Returns the PHP of a folder's scripts: the last handler that applies to them, in the virtual host
 * or else for the whole server; else the module of PHP.
 */
export function phpOf(
  host: Block,
  server: Block,
  docroot: string,
  modules: ReadonlySet<string>,
): ApachePhp {
  const handlers = [...handlersIn(server, docroot), ...handlersIn(host, docroot)]
  const handler = handlers.at(-1)
  const module = moduleOf(modules)
  if (handler === undefined) return module ?? NO_PHP
  return phpOfHandler(handler, module)
}

function phpOfHandler(handler: string, module: Php | undefined): ApachePhp {
  const [, socket] = /(?:^|proxy:)unix:([^|]+)\|/.exec(handler) ?? []
  if (socket !== undefined) return { ...NO_PHP, address: fastcgiAddress(socket) }
  const [, address] = /fcgi:\/\/([^/|]+)/.exec(handler) ?? []
  if (address !== undefined) return { ...NO_PHP, address: fastcgiAddress(address) }
  const [, major, minor] =
    /^application\/x-httpd-(?:ea-)?php(\d)(\d)(?:___lsphp)?$/.exec(handler) ?? []
  if (major !== undefined) return { ...NO_PHP, version: `${major}.${minor}` }
  if (/^(application\/x-httpd-php|php\d?-script)$/.test(handler)) return module ?? NO_PHP
  return /^(fcgid-script|wrapper)$/.test(handler) ? 'wrapper' : NO_PHP
}

/** Finds the version in Debian's file name of the module. */
function moduleOf(modules: ReadonlySet<string>): Php | undefined {
  const module = [...modules].find((each) => /^php\d?_module /.test(each))
  if (module === undefined) return undefined
  return { ...NO_PHP, version: /libphp(\d\.\d+)\.so$/.exec(module)?.[1] ?? 'unknown' }
}

function* handlersIn(block: Block, docroot: string): Generator<string> {
  for (const directive of block) {
    const { name, args, block: inner } = directive
    if (!inner) yield* handlerOf(directive)
    else if (applies(name, args, docroot)) yield* handlersIn(inner, docroot)
  }
}

function* handlerOf({ name, args: [first = '', ...rest] }: ApacheDirective): Generator<string> {
  if (name === 'sethandler') yield first
  if ((name === 'addhandler' || name === 'addtype') && rest.some(isPhp)) yield first
  if (name === 'proxypassmatch' && first.includes('php')) yield rest[0] ?? ''
  if (name === 'fcgidwrapper') yield 'wrapper'
}

const isPhp = (extension: string) => extension.replace(/^\.?/, '.') === '.php'

/** Returns whether a section applies to this folder's scripts. */
function applies(name: string, args: readonly string[], docroot: string): boolean {
  const [first = '', second = ''] = args
  if (name === 'if') return true
  if (name === 'filesmatch') return expression(first, false)?.matches('index.php') ?? false
  if (name === 'files' && first === '~')
    return expression(second, false)?.matches('index.php') ?? false
  if (name === 'files') return first === '*.php' || first === 'index.php'
  return name === 'directory' && isBelow(docroot, first.replace(/\/\*?$/, ''))
}

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)
