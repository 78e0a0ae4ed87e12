import type { Output, RunOptions } from '#agent/host/ports.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'
import { textOf } from '#scripts/demo/machine/nodes.ts'
import { done, failed, lastOf, said } from './output.ts'

/** A file, or all that is in a folder (`<folder>/.`) into a folder. */
export function copy({ disk }: Machine, argv: readonly string[]): Output {
  const [from = '', to = ''] = argv.slice(-2)
  const source = disk.find(from.replace(/\/\.$/, ''))
  if (!source) return failed(`cp: cannot stat '${from}': No such file or directory`)
  if (source.kind === 'file') {
    disk.putText(to, textOf(source), { mode: 0o600 })
    return done()
  }
  if (source.kind === 'directory')
    for (const [name, node] of source.entries)
      disk.put(`${to}/${name}`, node.kind === 'directory' ? { ...node, shared: true } : { ...node })
  return done()
}

export function remove({ disk }: Machine, argv: readonly string[]): Output {
  disk.drop(lastOf(argv))
  return done()
}

/** Bytes or files in a user's folder, or bytes of a user's database. */
export function du({ sizes, databases }: Machine, argv: readonly string[]): Output {
  const path = lastOf(argv)
  const [, name] = /^\/var\/lib\/mysql\/(.+)$/.exec(path) ?? []
  if (name !== undefined) return said(`${databases.get(name)?.bytes ?? 0}\t${path}\n`)
  const [, user = ''] = /^\/srv\/www\/([^/]+)\//.exec(path) ?? []
  const bytes = sizes.get(user) ?? 64 * 2 ** 20
  return said(`${argv.includes('--inodes') ? filesIn(bytes) : bytes}\ttotal\n`)
}

/** Standard input into a file: `of=<path>`. */
export function write({ disk }: Machine, argv: readonly string[], { input }: RunOptions): Output {
  const target = argv.find((word) => word.startsWith('of='))
  if (target !== undefined) disk.putText(target.slice('of='.length), input ?? '', { mode: 0o600 })
  return done()
}

/** The beginning or the end of a file, which is short. */
export function read({ disk }: Machine, argv: readonly string[]): Output {
  const text = disk.text(lastOf(argv))
  return text === undefined ? failed(`${argv[0]}: No such file or directory`) : said(text)
}

/** `test -e <path>` */
export function exists({ disk }: Machine, argv: readonly string[]): Output {
  return disk.find(lastOf(argv)) ? done() : failed('')
}
/** As many as a WordPress of that size has, most of them its own, and then uploads. */
export const filesIn = (bytes: number): number => 3200 + Math.round(bytes / 400_000)
