import { dirname, resolve } from 'node:path'
import type { Host } from '../../host/ports.ts'
import { type Directive, parseNginx } from '../nginx-config.ts'
import { type ConfigFiles, filesInDump, filesOnDisk } from './config-files.ts'
import type { Process } from './processes.ts'

const DEFAULT = '/etc/nginx/nginx.conf'
const DUMP_MS = 20_000
/** What a program may print is cut off there without a word. */
const MOST_DUMP = (16 << 20) - 1
const MAX_INCLUDES = 100_000
const MAX_DEPTH = 16

interface Reading {
  source: ConfigFiles
  folder: string
  parsed: Map<string, readonly Directive[]>
  left: number
}

/**
 * The configuration of nginx as one tree: what `nginx -T` prints for the configuration that the
 * running master has; where that fails, its files. Where there is no nginx.conf, the files of sites.
 */
export async function readNginxConfig(
  host: Host,
  processes: readonly Process[] = [],
): Promise<readonly Directive[]> {
  const options = optionsOf(processes)
  const dump = await dumped(host, options)
  const [first] = dump.keys()
  const path = first ?? options.config
  const source = first === undefined ? filesOnDisk(host) : filesInDump(dump)
  const reading = { source, folder: dirname(path), parsed: new Map(), left: MAX_INCLUDES }
  const main = await included(reading, path, [])
  if (main.length > 0) return main
  const folders = ['conf.d/*.conf', 'sites-enabled/*', 'vhosts.d/*.conf']
  return (await Promise.all(folders.map((glob) => included(reading, glob, [])))).flat()
}

interface Options {
  program: string
  config: string
  args: readonly string[]
}

export const isNginx = ({ line, root }: Process) =>
  root && line.startsWith('nginx: master process ')

/** Of `nginx: master process /usr/sbin/nginx -c /etc/nginx-rc/nginx.conf -g daemon on;`. */
function optionsOf(processes: readonly Process[]): Options {
  const master = processes.find(isNginx)
  const [program = '', ...words] = (master?.line ?? '').split(' ').slice(3)
  const optionValue = (option: string) => words[words.indexOf(option) + 1 || words.length]
  const prefix = optionValue('-p')
  const config = optionValue('-c')
  return {
    program: /^\/[\w./-]*\/nginx[\w.-]*$/.test(program) ? program : 'nginx',
    config: config === undefined ? DEFAULT : resolve(prefix ?? dirname(DEFAULT), config),
    args: [
      ...(prefix === undefined ? [] : ['-p', prefix]),
      ...(config === undefined ? [] : ['-c', config]),
    ],
  }
}

async function dumped(host: Host, { program, args }: Options): Promise<Map<string, string>> {
  const argv = [program, '-T', '-q', ...args]
  const options = { unconfined: true, timeout_ms: DUMP_MS }
  const { code, stdout } = await host.shell
    .try(argv, options)
    .catch(() => ({ code: 1, stdout: '' }))
  return code === 0 && stdout.length < MOST_DUMP ? filesOf(stdout) : new Map()
}

/** Each file stands once in a dump, after a line with its path. */
function filesOf(dump: string): Map<string, string> {
  const [, ...parts] = dump.split(/^# configuration file (.+):$/m)
  const files = new Map<string, string>()
  for (let at = 0; at + 1 < parts.length; at += 2) files.set(parts[at] ?? '', parts[at + 1] ?? '')
  return files
}

/** Puts the included files in place of each `include`. `chain` are the files that lead here. */
async function resolved(
  reading: Reading,
  directives: readonly Directive[],
  chain: readonly string[],
): Promise<readonly Directive[]> {
  const found: Directive[] = []
  for (const directive of directives) {
    const { name, args, block } = directive
    if (name === 'include') found.push(...(await included(reading, args[0] ?? '', chain)))
    else if (!block) found.push(directive)
    else found.push({ name, args, block: await resolved(reading, block, chain) })
  }
  return found
}

/** Relative to the folder of the main file, as ngx_conf_full_name() has it. */
async function included(reading: Reading, pattern: string, chain: readonly string[]) {
  if (pattern === '' || chain.length > MAX_DEPTH) return []
  const found: Directive[] = []
  for (const file of await reading.source.expand(resolve(reading.folder, pattern))) {
    if (chain.includes(file) || reading.left-- <= 0) continue
    found.push(...(await resolved(reading, await parsed(reading, file), [...chain, file])))
  }
  return found
}

/** A snippet that every site includes is parsed once. One that cannot be read is empty. */
async function parsed({ source, parsed: known }: Reading, path: string) {
  const directives = known.get(path) ?? parseNginx((await source.read(path)) ?? '')
  known.set(path, directives)
  return directives
}
