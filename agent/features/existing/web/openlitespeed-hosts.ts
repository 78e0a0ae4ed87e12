import type { Host } from '#agent/kernel/host/ports.ts'
import { mapConcurrently } from '#agent/kernel/host/processes/map-concurrently.ts'
import type { Process } from '#agent/kernel/host/processes/processes.ts'
import { readApacheConfig } from './apache-config.ts'
import { apacheHosts } from './apache-hosts.ts'
import { type ConfigFiles, filesOnDisk } from './config-files.ts'
import { fastcgiAddress, type Listen, NO_PHP, type VirtualHost } from './virtual-host.ts'

const ROOT = '/usr/local/lsws'
const MAIN = `${ROOT}/conf/httpd_config.conf`
const MAX_INCLUDES = 10_000
const MAX_CONCURRENT = 8

export const isLiteSpeed = ({ line, root }: Process) =>
  root && /^(\S*\/)?(open)?litespeed\b/.test(line)

/**
 * Returns OpenLiteSpeed's handling of every name that its listeners or templates map to a virtual
 * host. LiteSpeed Enterprise has no such file: panels let it read that of Apache.
 */
export async function readOpenLiteSpeed(
  host: Host,
  processes: readonly Process[] = [],
): Promise<VirtualHost[]> {
  const source = filesOnDisk(host)
  const text = await source.read(MAIN)
  if (text === undefined)
    return processes.some(isLiteSpeed) ? apacheHosts(await readApacheConfig(host, [])) : []
  const main = await withIncludes(source, parseSections(text))
  const found = [...sitesOf(main), ...membersOf(main)]
  const hosts = await mapConcurrently(found, MAX_CONCURRENT, (site) => hostOf(source, site, main))
  return hosts.filter((host) => host !== undefined)
}

/** Expands `include` with a file or a pattern; included files include no others. */
async function withIncludes(
  source: ConfigFiles,
  main: readonly Section[],
): Promise<readonly Section[]> {
  const read = new Map<string, readonly Section[]>()
  for (const { value } of main.filter(({ name }) => name === 'include')) {
    for (const path of await source.expand(absolute(replaced(value, NONE), ROOT))) {
      if (read.size >= MAX_INCLUDES || path === MAIN || read.has(path)) continue
      read.set(path, parseSections((await source.read(path)) ?? ''))
    }
  }
  return [main, ...read.values()].flat().filter(({ name }) => name !== 'include')
}

/** A virtual host before its own file is read, with its names at its listeners. */
interface MappedHost {
  name: string
  root: string
  file: string
  template: boolean
  names: readonly string[]
  listeners: readonly Section[]
}

interface HostVariables {
  root: string
  name: string
  domain: string
}

const NONE: HostVariables = { root: ROOT, name: '', domain: '' }

function sitesOf(main: readonly Section[]): MappedHost[] {
  const listeners = main.filter(({ name }) => name === 'listener')
  const entries = listeners.flatMap((listener) =>
    listener.inner.filter(({ name }) => name === 'map').map(({ value }) => mapIn(listener, value)),
  )
  const mapped = Map.groupBy(entries, ({ site }) => site)
  return main
    .filter(({ name }) => name === 'virtualhost')
    .map(({ value: name, inner }) => {
      const maps = mapped.get(name) ?? []
      return {
        name,
        root: valueIn(inner, 'vhroot'),
        file: valueIn(inner, 'configfile'),
        template: false,
        names: maps.flatMap(({ names }) => names),
        listeners: maps.map(({ listener }) => listener),
      }
    })
}

/** Parses `map shop shop.example, www.shop.example` of a listener. */
function mapIn(listener: Section, value: string) {
  const [site = '', ...names] = value.split(/[\s,]+/)
  return { listener, site, names }
}

/** Returns the members of a template, which share its file; each may have a folder of its own. */
function membersOf(main: readonly Section[]): MappedHost[] {
  return main
    .filter(({ name }) => name === 'vhtemplate')
    .flatMap(({ inner }) => {
      const used = valueIn(inner, 'listeners').split(/[\s,]+/)
      const listeners = main.filter(
        ({ name, value }) => name === 'listener' && used.includes(value),
      )
      return inner
        .filter(({ name }) => name === 'member')
        .map((member) => ({
          name: member.value,
          root: valueIn(member.inner, 'vhroot'),
          file: valueIn(inner, 'templatefile'),
          template: true,
          names: [...listIn(member.inner, 'vhdomain'), ...listIn(member.inner, 'vhaliases')],
          listeners,
        }))
    })
}

async function hostOf(
  source: ConfigFiles,
  { name, root, file, template, names: written, listeners }: MappedHost,
  main: readonly Section[],
): Promise<VirtualHost | undefined> {
  if (listeners.length === 0 || written.length === 0) return undefined
  const named = { name, root: ROOT, domain: written[0] ?? '' }
  const config = parseSections((await source.read(absolute(replaced(file, named), ROOT))) ?? '')
  const folder = absolute(replaced(root || valueIn(config, 'vhroot'), named), ROOT)
  const variables = { ...named, root: folder.replace(/(?<=.)\/+$/, '') }
  const own = template ? insideOf(config, 'virtualhostconfig') : config
  const names = [...written, ...listIn(own, 'vhaliases').map((each) => replaced(each, variables))]
  const isAny = names.includes('*')
  const listens = listeners.map((listener) => ({ ...listenOf(listener), default: isAny }))
  const tls = listens.some((listen) => listen.tls)
  const docroot = replaced(valueIn(own, 'docroot'), variables)
  const proxy = proxyOf([...own, ...main])
  return {
    names: [...new Set(names.map((each) => (each === '*' ? '' : each)))],
    listens,
    kind: proxy === '' ? (docroot === '' ? 'none' : 'files') : 'proxy',
    docroot: proxy === '' ? absolute(docroot, variables.root).replace(/(?<=.)\/+$/, '') : '',
    php: proxy === '' ? { ...NO_PHP, version: phpIn([...own, ...main]) } : NO_PHP,
    proxy,
    certificate: tls ? replaced(certificateIn(own, listeners), variables) : '',
    tls,
    user: valueIn(insideOf(own, 'extprocessor'), 'extuser'),
    unknown: {},
  }
}

function certificateIn(own: readonly Section[], listeners: readonly Section[]): string {
  const shared = listeners.flatMap(({ inner }) => inner)
  return (
    valueIn(insideOf(own, 'vhssl'), 'certfile') ||
    valueIn(insideOf(shared, 'vhssl'), 'certfile') ||
    valueIn(own, 'certfile') ||
    valueIn(shared, 'certfile')
  )
}

const insideOf = (sections: readonly Section[], section: string) =>
  sections.filter(({ name }) => name === section).flatMap(({ inner }) => inner)

function listenOf({ inner }: Section): Listen {
  const [, address = '', port = '80'] = /^(.*):(\d+)$/.exec(valueIn(inner, 'address')) ?? []
  const isAny = ['*', '[ANY]', '[::]', '0.0.0.0'].includes(address)
  const tls = valueIn(inner, 'secure') === '1'
  return { address: isAny ? '' : address, port: Number(port), tls, default: false }
}

/** Returns the target of a context for all paths. */
function proxyOf(sections: readonly Section[]): string {
  const context = sections.find(({ name, value }) => name === 'context' && value === '/')
  if (!context || valueIn(context.inner, 'type') !== 'proxy') return ''
  const handler = valueIn(context.inner, 'handler')
  const program = processorOf(sections, handler)
  const address = program ? valueIn(program.inner, 'address') : handler
  const [, place = ''] = /^(?:\w+:\/\/)?([^/]+)/.exec(address) ?? []
  return fastcgiAddress(place)
}

const processorOf = (sections: readonly Section[], processor: string | undefined) =>
  sections.find(({ name, value }) => name === 'extprocessor' && value === processor)

/** Returns the PHP version of the script handler, from the folder of its program. */
function phpIn(sections: readonly Section[]): string {
  const added = insideOf(sections, 'scripthandler').find(
    ({ name, value }) => name === 'add' && /\sphp\b/.test(value),
  )
  const program = processorOf(sections, /^lsapi:(\S+)/.exec(added?.value ?? '')?.[1])
  const path = valueIn(program?.inner ?? [], 'path')
  const [, major, minor] = /(?:^|\/)lsphp(\d)(\d{1,2})\/bin\/lsphp$/.exec(path) ?? []
  return major === undefined ? '' : `${major}.${minor}`
}

function replaced(text: string, { root, name, domain }: HostVariables): string {
  return text
    .replaceAll('$SERVER_ROOT', ROOT)
    .replaceAll('$VH_ROOT', root)
    .replaceAll('$VH_NAME', name)
    .replaceAll('$VH_DOMAIN', domain)
}

const absolute = (path: string, folder: string) =>
  path === '' || path.startsWith('/') ? path : `${folder.replace(/\/$/, '')}/${path}`

function valueIn(sections: readonly Section[], option: string): string {
  return sections.find(({ name }) => name === option)?.value ?? ''
}

const listIn = (sections: readonly Section[], option: string) =>
  valueIn(sections, option)
    .split(/[\s,]+/)
    .filter(Boolean)

/** A section: `docRoot html/` has a value; `virtualHost shop { … }` also has lines of its own. */
interface Section {
  /** In lower case: OpenLiteSpeed ignores the case. */
  name: string
  value: string
  inner: readonly Section[]
}

const MAX_NESTING = 100

/**
 * Parses lines of a name and a value; one that ends with `{` has lines up to `}`. A value that
 * begins with `<<<` is the text up to a line with the word after it.
 */
function parseSections(text: string): Section[] {
  const root: Section[] = []
  const stack = [root]
  let end: string | undefined
  for (const written of text.split('\n')) {
    const line = written.trim()
    if (end !== undefined) end = line === end ? undefined : end
    else if (line === '}') closeSection(stack)
    else if (line !== '' && !line.startsWith('#')) end = addLine(stack, line)
  }
  return root
}

function closeSection(stack: Section[][]): void {
  if (stack.length > 1) stack.pop()
}

/** Adds a line; returns the word that ends its text, if it has one. */
function addLine(stack: Section[][], line: string): string | undefined {
  const opens = line.endsWith('{')
  const words = opens ? line.slice(0, -1).trimEnd() : line
  const space = words.search(/\s/)
  const name = space < 0 ? words : words.slice(0, space)
  const value = space < 0 ? '' : words.slice(space).trim()
  const inner: Section[] = []
  if (stack.length < MAX_NESTING) stack.at(-1)?.push({ name: name.toLowerCase(), value, inner })
  if (opens) stack.push(inner)
  return /^<<<(\S+)$/.exec(value)?.[1]
}
