import type { Output } from '#agent/host/ports.ts'
import type { Machine } from '../machine.ts'
import { textOf } from '../nodes.ts'
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

/** The size of a user's folder in the trash. */
export function du({ sizes }: Machine, argv: readonly string[]): Output {
  const path = lastOf(argv)
  return said(`${sizes.get(path.split('/').at(-1) ?? '') ?? 64 * 2 ** 20}\t${path}\n`)
}
