import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { type Entry, entriesOf, kindOf } from './tree.ts'

const BLOCK = Buffer.alloc(2 ** 20)
const ZEROS = Buffer.alloc(BLOCK.length)
/** Holes are only compared in files where nearly everything is one. */
const LARGE = 16n * 2n ** 20n

/**
 * Everything of each entry below a folder, by its name: kind, mode, owner, time, size, content,
 * the target of a link, which names are the same file, and whether a large file is sparse.
 */
export function treeOf(root: Buffer): Map<string, string> {
  const firsts = new Map<bigint, string>()
  const entries: Entry[] = [{ path: root, kind: 'folder' }, ...entriesOf(root)]
  return new Map(
    entries.map(({ path }) => {
      const name = nameOf(path.subarray(root.length))
      return [name, described(path, name, firsts)]
    }),
  )
}

const nameOf = (bytes: Buffer) => JSON.stringify(bytes.toString('latin1'))

function described(path: Buffer, name: string, firsts: Map<bigint, string>): string {
  const stats = fs.lstatSync(path, { bigint: true })
  const kind = kindOf(stats)
  const words = [kind, stats.mode.toString(8), `${stats.uid}:${stats.gid}`, `${stats.mtimeNs}`]
  if (kind === 'link') words.push(nameOf(fs.readlinkSync(path, { encoding: 'buffer' })))
  if (kind !== 'file') return words.join(' ')
  const first = firsts.get(stats.ino) ?? name
  firsts.set(stats.ino, first)
  const sparse = stats.size > LARGE && stats.blocks * 512n < stats.size / 2n
  words.push(
    `${stats.size}`,
    sparse ? 'sparse' : '',
    first === name ? contentOf(path) : `= ${first}`,
  )
  return words.join(' ')
}

/** Blocks of zeros count by their place only: most of a sparse file is nothing else. */
function contentOf(path: Buffer): string {
  const hash = createHash('sha1')
  const file = fs.openSync(path, 'r')
  for (let at = 0, read = 1; read > 0; at += read) {
    read = fs.readSync(file, BLOCK, 0, BLOCK.length, at)
    const block = BLOCK.subarray(0, read)
    if (!block.equals(ZEROS.subarray(0, read))) hash.update(`${at} `).update(block)
  }
  fs.closeSync(file)
  return hash.digest('hex')
}

/** The first differences of two states, readable; empty if they are equal. */
export function differences(is: Map<string, string>, was: Map<string, string>): string[] {
  const names = [...new Set([...was.keys(), ...is.keys()])]
  return names
    .filter((name) => is.get(name) !== was.get(name))
    .slice(0, 12)
    .map((name) => `${name}\n  was ${was.get(name)}\n  is  ${is.get(name)}`)
}
