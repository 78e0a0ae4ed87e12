import { resolve } from 'node:path'
import type { Host } from '#agent/host/ports.ts'
import type { Process } from '#agent/os/processes/processes.ts'
import { type ApacheDirective, type Block, parseApache } from './apache-lines.ts'
import { type ConfigFiles, filesOnDisk } from './config-files.ts'

interface Reading {
  source: ConfigFiles
  root: string
  defined: Map<string, string>
  modules: Set<string>
  left: number
}

/** The main files of Debian, Red Hat, their derivatives, cPanel, RunCloud, Bitnami, and own builds. */
const MAIN = [
  '/etc/apache2/apache2.conf',
  '/etc/httpd/conf/httpd.conf',
  '/etc/apache2/conf/httpd.conf',
  '/etc/apache2-rc/apache2.conf',
  '/opt/bitnami/apache/conf/httpd.conf',
  '/usr/local/apache2/conf/httpd.conf',
]
const PROGRAM = /^\S*\/(apache2|httpd)(-rc)?(\s|$)/
const MAX_INCLUDES = 50_000
const MAX_DEPTH = 16
/** Modules built into every Apache, which nothing loads. */
const BUILT_IN = ['core', 'so', 'http', 'unixd', 'log_config', 'logio', 'version', 'watchdog']

export interface ApacheConfig {
  directives: Block
  /** Paths of loaded modules. */
  modules: ReadonlySet<string>
}

export const isApache = ({ line, root }: Process) => root && PROGRAM.test(line)

/** The configuration, with conditions and variables resolved. */
export async function readApacheConfig(
  host: Host,
  processes: readonly Process[],
): Promise<ApacheConfig> {
  const source = filesOnDisk(host)
  const main = await mainFile(source, processes)
  const root = main.replace(/(\/conf)?\/[^/]*$/, '')
  const defined = await environment(source)
  const reading: Reading = { source, root, defined, modules: new Set(), left: MAX_INCLUDES }
  const directives = main === '' ? [] : await included(reading, main, 0)
  return { directives, modules: reading.modules }
}

async function mainFile(source: ConfigFiles, processes: readonly Process[]): Promise<string> {
  const words = processes.find(isApache)?.line.split(/\s+/) ?? []
  const option = (name: string) =>
    words.includes(name) ? words[words.indexOf(name) + 1] : undefined
  const given = option('-f')
  const own = given === undefined ? [] : [resolve(option('-d') ?? '/etc/apache2', given)]
  for (const path of [...own, ...MAIN]) if ((await source.read(path)) !== undefined) return path
  return ''
}

/** Debian sets folders and names in a shell file. */
async function environment(source: ConfigFiles): Promise<Map<string, string>> {
  const text = (await source.read('/etc/apache2/envvars')) ?? ''
  const found = text.matchAll(/^\s*export\s+(\w+)=["']?([^\s"']*)/gm)
  return new Map(
    [...found].map(([, name = '', value = '']) => [name, value.replace('$SUFFIX', '')]),
  )
}

async function included(
  reading: Reading,
  pattern: string,
  depth: number,
): Promise<ApacheDirective[]> {
  if (depth > MAX_DEPTH) return []
  const found: ApacheDirective[] = []
  for (const path of await filesOf(reading, resolve(reading.root, pattern))) {
    if (reading.left-- <= 0) return found
    const text = await reading.source.read(path)
    if (text !== undefined) found.push(...(await resolved(reading, parseApache(text), depth)))
  }
  return found
}

/** A folder includes all its files. */
async function filesOf({ source }: Reading, pattern: string): Promise<readonly string[]> {
  const paths = await source.expand(pattern)
  const [only] = paths
  if (paths.length !== 1 || only === undefined || (await source.read(only)) !== undefined)
    return paths
  return source.expand(`${only.replace(/\/$/, '')}/*`)
}

async function resolved(reading: Reading, block: Block, depth: number): Promise<ApacheDirective[]> {
  const found: ApacheDirective[] = []
  for (const directive of block) found.push(...(await resolvedOne(reading, directive, depth)))
  return found
}

async function resolvedOne(
  reading: Reading,
  { name, args: written, block }: ApacheDirective,
  depth: number,
): Promise<ApacheDirective[]> {
  const args = written.map((word) => replaced(reading, word))
  const [first = '', second = ''] = args
  if (name === 'include' || name === 'includeoptional') return included(reading, first, depth + 1)
  if (name === 'serverroot') reading.root = first
  if (name === 'define') reading.defined.set(first, second)
  if (name === 'undefine') reading.defined.delete(first)
  if (name === 'loadmodule') reading.modules.add(`${first} ${second}`)
  if (!block) return [{ name, args, block }]
  const condition = name.startsWith('if') ? holds(reading, name, first) : undefined
  if (condition === false) return []
  const inner = await resolved(reading, block, depth)
  return condition ? inner : [{ name, args, block: inner }]
}

function replaced({ defined }: Reading, word: string): string {
  return word.replace(/\$\{(\w+)\}/g, (all, name: string) => defined.get(name) ?? all)
}

/** Undefined: evaluated at each request, or no condition. */
function holds({ defined, modules }: Reading, name: string, written: string): boolean | undefined {
  const negated = written.startsWith('!')
  const module = written.replace(/^!/, '')
  if (name === 'ifdefine') return defined.has(module) !== negated
  if (name === 'ifmodule') return hasModule(modules, module) !== negated
  return name === 'ifversion' || name === 'iffile' || name === 'ifdirective' ? true : undefined
}

/** `ssl_module` or the name of its source, `mod_ssl.c`. */
function hasModule(modules: ReadonlySet<string>, module: string): boolean {
  const plain = module.replace(/^mod_|\.c$|_module$/g, '')
  if (BUILT_IN.includes(plain)) return true
  return [...modules].some((module) => {
    const [identifier = '', path = ''] = module.split(' ')
    return [`${plain}_module`, module].includes(identifier) || path.endsWith(`/mod_${plain}.so`)
  })
}
