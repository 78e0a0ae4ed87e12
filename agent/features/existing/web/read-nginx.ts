import { dirname, resolve } from 'node:path'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Process } from '#agent/kernel/host/processes/processes.ts'
import { filesInDump, filesOnDisk } from './config-files.ts'
import type { Directive } from './nginx-config.ts'
import { dumpNginx, filesOf, isWhole } from './nginx-dump.ts'
import { type NginxTree, readTree } from './nginx-tree.ts'

const DEFAULT = '/etc/nginx/nginx.conf'
const OPENRESTY = '/usr/local/openresty/nginx/conf/nginx.conf'
const DUMP_MS = 20_000

/** The main files of packages, panels and own builds, for a server whose nginx does not run. */
const OTHERS = [
  '/etc/nginx-rc/nginx.conf',
  '/usr/local/nginx/conf/nginx.conf',
  OPENRESTY,
  '/www/server/nginx/conf/nginx.conf',
  '/opt/bitnami/nginx/conf/nginx.conf',
]

/**
 * The configuration of nginx as one tree, as the running master would read it. Its files are read
 * directly: `nginx -T` also loads every certificate, which takes longer than all else on a server
 * with a thousand sites. It runs only if a file is unreadable. Without an nginx.conf the tree has
 * the files of sites.
 */
export async function readNginxConfig(
  host: Host,
  processes: readonly Process[] = [],
): Promise<readonly Directive[]> {
  const options = optionsOf(processes)
  const config = options.config ?? (await builtInConfig(host, options))
  const read = (path: string) => readTree(filesOnDisk(host), dirname(config), path)
  const own = await read(config)
  if (own.missing.size === 0) return own.directives
  if (own.directives.length === 0 && options.config === undefined && !processes.some(isNginx)) {
    const other = await firstOther(host)
    if (other) return other
  }
  const printed = (await dumped(host, options))?.directives ?? own.directives
  if (printed.length > 0) return printed
  const folders = ['conf.d/*.conf', 'sites-enabled/*', 'vhosts.d/*.conf']
  return (await Promise.all(folders.map(read))).flatMap(({ directives }) => directives)
}

async function firstOther(host: Host): Promise<readonly Directive[] | undefined> {
  for (const path of OTHERS) {
    const { directives } = await readTree(filesOnDisk(host), dirname(path), path)
    if (directives.length > 0) return directives
  }
  return undefined
}

interface Options {
  program: string
  prefix: string | undefined
  /** Undefined: the built-in path. */
  config: string | undefined
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
    program: /^\/[\w./-]*\/(nginx|openresty)[\w.-]*$/.test(program) ? program : 'nginx',
    prefix,
    config: config === undefined ? undefined : resolve(prefix ?? dirname(DEFAULT), config),
    args: [
      ...(prefix === undefined ? [] : ['-p', prefix]),
      ...(config === undefined ? [] : ['-c', config]),
    ],
  }
}

/** The built-in default of nginx; Debian's if the program does not print it. */
async function builtInConfig({ shell }: Host, { program, prefix }: Options): Promise<string> {
  const { stderr } = await shell.try([program, '-V'], {
    unconfined: true,
    timeout_ms: DUMP_MS,
  })
  const builtWith = (option: string) => new RegExp(` --${option}=(\\S+)`).exec(stderr)?.[1]
  const built_prefix = builtWith('prefix')
  const config = builtWith('conf-path') ?? (built_prefix && 'conf/nginx.conf')
  if (config !== undefined) return resolve(prefix ?? built_prefix ?? '/usr/local/nginx', config)
  return program.includes('/openresty/') ? OPENRESTY : DEFAULT
}

/** Undefined if nginx prints only a part. */
async function dumped(host: Host, { program, args }: Options): Promise<NginxTree | undefined> {
  const command = { program, args, timeout_ms: DUMP_MS }
  const dump = await dumpNginx(host, command).catch(() => undefined)
  const files = dump && isWhole(dump) ? filesOf(dump.stdout) : new Map<string, string>()
  const [first] = files.keys()
  return first === undefined ? undefined : readTree(filesInDump(files), dirname(first), first)
}
