import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { Output, RunOptions } from '#agent/kernel/host/ports.ts'
import type { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { ownAgent, tar } from './copies.ts'
import { done, failed, lastOf, printed } from './output.ts'
import { php } from './php.ts'
import { restic } from './restic.ts'
import { systemctl } from './services.ts'
import { chpasswd, gpasswd, groupdel, useradd, userdel, usermod } from './users.ts'

type DiskMachine = { disk: Disk }

/** Copies a file, or everything in a folder (`<folder>/.`) into a folder that exists. */
function copy({ disk }: DiskMachine, argv: readonly string[]): Output {
  const [from = '', to = ''] = argv.slice(-2)
  const source = disk.find(from.replace(/\/\.$/, ''))
  if (!source) return failed(`cp: cannot stat '${from}': No such file or directory`)
  const folder = to.replace(/\/[^/]*$/, '')
  if (!disk.find(folder)) return failed(`cp: cannot create regular file '${to}'`)
  if (source.kind !== 'directory') disk.copy(source, to)
  else for (const [name, node] of source.entries) disk.copy(node, `${folder}/${name}`)
  return done()
}

/** `rm <options> -- <path>…` */
function remove({ disk }: DiskMachine, argv: readonly string[]): Output {
  for (const path of argv.slice(argv.indexOf('--') + 1)) disk.drop(path)
  return done()
}

/** `cat`, or `cat -- <path>` */
function concatenate(machine: DiskMachine, argv: readonly string[], { input }: RunOptions) {
  return argv.length > 1 ? read(machine, argv) : printed(input ?? '')
}

/** `xargs --null --max-args=2 mv --no-target-directory --` in a sandbox with one folder. */
export function moveEach(
  { disk }: DiskMachine,
  _: readonly string[],
  { input = '', site }: RunOptions,
): Output {
  const bound = site?.directives.find((line) => line.startsWith('BindPaths='))
  const [folder = '', seen = ''] = bound?.slice('BindPaths='.length).split(':') ?? []
  const paths = input.split('\0').map((path) => folder + path.slice(seen.length))
  for (let at = 0; at + 2 < paths.length; at += 2) disk.move(paths[at] ?? '', paths[at + 1] ?? '')
  return done()
}

/** Runs dd(1): writes standard input into the file of `of=<path>`. */
function write({ disk }: DiskMachine, argv: readonly string[], { input }: RunOptions): Output {
  const target = argv.find((word) => word.startsWith('of='))
  if (target !== undefined) disk.putText(target.slice('of='.length), input ?? '', { mode: 0o600 })
  return done()
}

/** Prints the beginning or the end of a file, which is short. */
function read({ disk }: DiskMachine, argv: readonly string[]): Output {
  const text = disk.text(lastOf(argv))
  return text === undefined ? failed(`${argv[0]}: No such file or directory`) : printed(text)
}

/** `sha256sum -- <path>` */
function digest({ disk }: DiskMachine, argv: readonly string[]): Output {
  const text = disk.text(lastOf(argv))
  if (text === undefined) return failed(`sha256sum: ${lastOf(argv)}: No such file or directory`)
  return printed(`${createHash('sha256').update(text).digest('hex')}  ${lastOf(argv)}\n`)
}

/** `test -e <path>` */
function exists({ disk }: DiskMachine, argv: readonly string[]): Output {
  return disk.find(lastOf(argv)) ? done() : failed('')
}

/** `sync --file-system <path>`, or of one file. */
function sync({ disk }: DiskMachine, argv: readonly string[]): Output {
  disk.sync(argv.includes('--file-system') ? undefined : lastOf(argv))
  return done()
}

export type SimulatedProgram<Machine, Result = Output> = (
  machine: Machine,
  argv: readonly string[],
  options: RunOptions,
) => Result

/** The programs that change nothing but files. */
export const PROGRAMS = {
  useradd,
  userdel,
  groupdel,
  gpasswd,
  usermod,
  chpasswd,
  cat: concatenate,
  cp: copy,
  rm: remove,
  dd: write,
  head: read,
  tail: read,
  test: exists,
  sync,
  tar,
  'hosting-agent': ownAgent,
  php,
  restic,
  sha256sum: digest,
  systemctl,
} satisfies Record<string, SimulatedProgram<{ disk: Disk }>>

/** Returns the name of a program in a table: `php` for /usr/bin/php8.4. */
export const programOf = ([path = '']: readonly string[]): string =>
  posix.basename(path).replace(/[\d.]+$/, '')
