import { basename, dirname, resolve } from 'node:path'
import { FPM_FOLDER } from '#agent/features/php/fpm-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { mapConcurrently } from '#agent/kernel/host/processes/map-concurrently.ts'
import type { Process } from '#agent/kernel/host/processes/processes.ts'
import { type ConfigFiles, filesOnDisk } from './config-files.ts'

/** A file with pools, and the version of the PHP that reads it, empty when unknown. */
export interface PoolFile {
  path: string
  text: string
  php: string
  /** True when a running master has read it. */
  running: boolean
}

/** Pool folders of Debian, Sury, Remi, Plesk, cPanel, RunCloud, DirectAdmin and aaPanel. */
const FOLDERS = [
  '/etc/php/*/fpm/pool.d/*.conf',
  '/opt/plesk/php/*/etc/php-fpm.d/*.conf',
  '/etc/opt/remi/php*/php-fpm.d/*.conf',
  '/opt/cpanel/ea-php*/root/etc/php-fpm.d/*.conf',
  '/etc/php*rc/fpm.d/*.conf',
  '/usr/local/php*/etc/php-fpm.d/*.conf',
  '/www/server/php/*/etc/php-fpm.conf',
  `${FPM_FOLDER}/*.d/pool.conf`,
]

const MAX_CONCURRENT = 8
const MASTER = /^php-fpm: master process \((\/[^)]*)\)/

/** Lists files that running masters have read, and that stopped masters would read. */
export async function poolFiles(
  host: Host,
  processes: readonly Process[],
): Promise<readonly PoolFile[]> {
  const source = filesOnDisk(host)
  const found = new Map<string, PoolFile>()
  const add = async (path: string, php: string, running: boolean) => {
    const text = await source.read(path)
    if (text === undefined || found.has(path)) return
    found.set(path, { path, text, php, running })
    const includes = text.matchAll(/^[ \t]*include[ \t]*=[ \t]*"?([^\s";]+)/gm)
    for (const [, pattern = ''] of running ? includes : []) {
      for (const file of await listed(source, resolve(dirname(path), pattern))) {
        await add(file, php, running)
      }
    }
  }
  for (const process of processes) {
    const path = process.root ? MASTER.exec(process.line)?.[1] : undefined
    if (path) await add(path, versionIn(path) || (await versionOf(host, process)), true)
  }
  for (const pattern of FOLDERS) {
    for (const path of await listed(source, pattern)) await add(path, versionIn(path), false)
  }
  return [...found.values()]
}

/** Lists the files of a pattern and reads them all: a server may have thousands. */
async function listed(source: ConfigFiles, pattern: string): Promise<readonly string[]> {
  const paths = await source.expand(pattern)
  await mapConcurrently(paths, MAX_CONCURRENT, source.read)
  return paths
}

/** Returns the version in the folder name of a package. */
function versionIn(path: string): string {
  const [, own] = /^(?:.*-(?:php)?)(\d\.\d+)\.d$/.exec(basename(dirname(path))) ?? []
  if (path.startsWith(`${FPM_FOLDER}/`)) return own ?? ''
  const [, dotted] = /^(?:\/etc|\/opt\/plesk)\/php\/(\d\.\d+)\//.exec(path) ?? []
  if (dotted) return dotted
  const packaged =
    /^\/(?:etc\/opt\/remi\/|opt\/cpanel\/ea-|opt\/alt\/|etc\/|usr\/local\/)php(\d)(\d{1,2})(?:rc)?\//
  const [, major, minor] =
    packaged.exec(path) ?? /^\/www\/server\/php\/(\d)(\d{1,2})\//.exec(path) ?? []
  return major === undefined ? '' : `${major}.${minor}`
}

/** Returns the version that a master's program prints: root runs it already. */
async function versionOf({ shell }: Host, { pid }: Process): Promise<string> {
  const options = { unconfined: true, timeout_ms: 5000 }
  const link = await shell.try(['realpath', '-e', `/proc/${pid}/exe`], options)
  const program = link.stdout.trim()
  if (link.code !== 0 || !/^\/[\w./+-]*php-fpm[\w.-]*$/.test(program)) return ''
  const { stdout } = await shell.try([program, '-v'], options)
  return /^PHP (\d\.\d+)\./.exec(stdout)?.[1] ?? ''
}
