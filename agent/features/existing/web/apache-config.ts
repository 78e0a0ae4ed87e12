import { resolve } from 'node:path'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Process } from '#agent/kernel/host/processes/processes.ts'
import { type ApacheDirective, type Block, parseApache } from './apache-lines.ts'
import { type ConfigFiles, filesOnDisk } from './config-files.ts'

interface ConfigReading {
  source: ConfigFiles
  root: string
  defined: Map<string, string>
  modules: Set<string>
  parsed: Map<string, Block>
  includes_left: number
  directives_left: number
}

/** The main files of Debian, Red Hat, their derivatives, cPanel, RunCloud, Bitnami, and own builds. */
const MAIN_FILES = [
  '/etc/apache2/apache2.conf',
  '/etc/httpd/conf/httpd.conf',
  '/etc/apache2/conf/httpd.conf',
  '/etc/apache2-rc/apache2.conf',
  '/opt/bitnami/apache/conf/httpd.conf',
  '/usr/local/apache2/conf/httpd.conf',
]
const PROGRAM = /^\S*\/(apache2|httpd)(-rc)?(\s|$)/
const MAX_INCLUDES = 20_000
/** The maximum number of directives of all files together: one file can be included many times. */
const MAX_DIRECTIVES = 500_000
/** The maximum length of a word: nested definitions would grow exponentially. */
const MAX_WORD = 4096
const MAX_DEPTH = 16
/** The modules built into every Apache, which nothing loads. */
const BUILT_IN = ['core', 'so', 'http', 'unixd', 'log_config', 'logio', 'version', 'watchdog']

export interface ApacheConfig {
  directives: Block
  /** Paths of loaded modules. */
  modules: ReadonlySet<string>
}

export const isApache = ({ line, root }: Process) => root && PROGRAM.test(line)

/** Reads the configuration, with conditions and variables resolved. */
export async function readApacheConfig(
  host: Host,
  processes: readonly Process[],
): Promise<ApacheConfig> {
  const source = filesOnDisk(host)
  const main = await mainFile(source, processes)
  const root = main.replace(/(\/conf)?\/[^/]*$/, '')
  const defined = await environment(source)
  const reading: ConfigReading = {
    source,
    root,
    defined,
    modules: new Set(),
    parsed: new Map(),
    includes_left: MAX_INCLUDES,
    directives_left: MAX_DIRECTIVES,
  }
  const directives = main === '' ? [] : await included(reading, main, 0)
  return { directives, modules: reading.modules }
}

async function mainFile(source: ConfigFiles, processes: readonly Process[]): Promise<string> {
  const words = processes.find(isApache)?.line.split(/\s+/) ?? []
  const option = (name: string) =>
    words.includes(name) ? words[words.indexOf(name) + 1] : undefined
  const given = option('-f')
  const own = given === undefined ? [] : [resolve(option('-d') ?? '/etc/apache2', given)]
  for (const path of [...own, ...MAIN_FILES])
    if ((await source.read(path)) !== undefined) return path
  return ''
}

/** Reads the variables that Debian sets in a shell file. */
async function environment(source: ConfigFiles): Promise<Map<string, string>> {
  const text = (await source.read('/etc/apache2/envvars')) ?? ''
  const found = text.matchAll(/^\s*export\s+(\w+)=["']?([^\s"']*)/gm)
  return new Map(
    [...found].map(([, name = '', value = '']) => [name, value.replace('$SUFFIX', '')]),
  )
}

async function included(
  reading: ConfigReading,
  pattern: string,
  depth: number,
): Promise<ApacheDirective[]> {
  if (depth > MAX_DEPTH) return []
  const found: ApacheDirective[] = []
  for (const path of await filesOf(reading, resolve(reading.root, pattern))) {
    if (reading.includes_left-- <= 0) return found
    const inner = await resolved(reading, await parsed(reading, path), depth)
    for (const directive of inner) found.push(directive)
  }
  return found
}

async function parsed({ source, parsed: known }: ConfigReading, path: string): Promise<Block> {
  const block = known.get(path) ?? parseApache((await source.read(path)) ?? '')
  known.set(path, block)
  return block
}

/** Lists the files of a pattern; a folder includes all its files. */
async function filesOf({ source }: ConfigReading, pattern: string): Promise<readonly string[]> {
  const paths = await source.expand(pattern)
  const [only] = paths
  if (paths.length !== 1 || only === undefined || (await source.read(only)) !== undefined)
    return paths
  return source.expand(`${only.replace(/\/$/, '')}/*`)
}

async function resolved(
  reading: ConfigReading,
  block: Block,
  depth: number,
): Promise<ApacheDirective[]> {
  const found: ApacheDirective[] = []
  for (const { name, args: written, block: inner } of block) {
    if (reading.directives_left-- <= 0) return found
    const args = written.map((word) => replaced(reading, word))
    const directive = { name, args, block: inner }
    if (!inner && !INCLUDES.includes(name)) {
      remember(reading, directive)
      found.push(directive)
    } else for (const each of await expanded(reading, directive, depth)) found.push(each)
  }
  return found
}

const INCLUDES = ['include', 'includeoptional']

function remember(reading: ConfigReading, { name, args }: ApacheDirective): void {
  const { defined, modules } = reading
  const [first = '', second = ''] = args
  if (name === 'serverroot') reading.root = first
  if (name === 'define') defined.set(first, second)
  if (name === 'undefine') defined.delete(first)
  if (name === 'loadmodule') modules.add(`${first} ${second}`)
}

/** Returns the directives of an include or a section. */
async function expanded(
  reading: ConfigReading,
  { name, args, block = [] }: ApacheDirective,
  depth: number,
): Promise<readonly ApacheDirective[]> {
  const [first = ''] = args
  if (INCLUDES.includes(name)) return await included(reading, first, depth + 1)
  const condition = name.startsWith('if') ? holds(reading, name, first) : undefined
  if (condition === false) return []
  const inner = await resolved(reading, block, depth)
  return condition ? inner : [{ name, args, block: inner }]
}

function replaced({ defined }: ConfigReading, word: string): string {
  if (!word.includes('${') || word.length > MAX_WORD) return word
  const text = word.replace(/\$\{(\w+)\}/g, (all, name: string) => defined.get(name) ?? all)
  return text.length > MAX_WORD ? word : text
}

/** Returns whether a condition holds; undefined when it is evaluated at each request or none. */
function holds(
  { defined, modules }: ConfigReading,
  name: string,
  written: string,
): boolean | undefined {
  const negated = written.startsWith('!')
  const module = written.replace(/^!/, '')
  if (name === 'ifdefine') return defined.has(module) !== negated
  if (name === 'ifmodule') return hasModule(modules, module) !== negated
  return name === 'ifversion' || name === 'iffile' || name === 'ifdirective' ? true : undefined
}

/** Accepts `ssl_module` and the name of its source, `mod_ssl.c`. */
function hasModule(modules: ReadonlySet<string>, module: string): boolean {
  const plain = module.replace(/^mod_|\.c$|_module$/g, '')
  if (BUILT_IN.includes(plain)) return true
  return [...modules].some((module) => {
    const [identifier = '', path = ''] = module.split(' ')
    return [`${plain}_module`, module].includes(identifier) || path.endsWith(`/mod_${plain}.so`)
  })
}
