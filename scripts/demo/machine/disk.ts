import { Buffer } from 'node:buffer'
import type { Entry, Files, Stat, WriteOptions } from '#agent/host/ports.ts'
import type { SiteTree } from '#agent/scan/site-tree.ts'
import { type FolderNode, file, folder, type Node, ownFolder, type Text, textOf } from './nodes.ts'

const MAX_READ = 1 << 20

/** A disk in memory, as a tree: what is below a folder is found, moved and removed at once. */
export class Disk implements Files {
  #root = folder()
  /** Free and total bytes. */
  room = { free: 40 * 2 ** 30, total: 80 * 2 ** 30 }
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Lays a node there, in the place of what is there. */
  put(path: string, node: Node): void {
    const { folder: parent, name } = this.#parent(path)
    parent.entries.set(name, node)
  }

  putText(path: string, text: Text, options: WriteOptions = {}): void {
    this.put(path, file(text, options))
  }

  find(path: string): Node | undefined {
    let node: Node | undefined = this.#root
    for (const name of partsOf(path)) {
      if (node?.kind !== 'directory') return undefined
      node = node.entries.get(name)
    }
    return node
  }

  /** Undefined: no such file. */
  text(path: string): string | undefined {
    const node = this.find(path)
    if (node?.kind === 'link') return this.text(node.target)
    return node?.kind === 'file' ? textOf(node) : undefined
  }

  names(path: string): string[] {
    const node = this.find(path)
    return node?.kind === 'directory' ? [...node.entries.keys()] : []
  }

  drop(path: string): void {
    if (this.find(path)) {
      const { folder: parent, name } = this.#parent(path)
      parent.entries.delete(name)
    }
  }

  async read(path: string, most = MAX_READ): Promise<string | undefined> {
    const text = this.text(path)
    if (text !== undefined && text.length > most)
      throw new Error(`${path} is larger than ${most} bytes`)
    return text
  }

  async write(path: string, text: string, options: WriteOptions = {}) {
    this.put(path, { ...file(text, options), at: this.#now() })
  }

  async append(path: string, text: string) {
    const before = this.find(path)
    if (before?.kind !== 'file') return this.putText(path, text)
    before.text = textOf(before) + text
    before.at = this.#now()
  }

  async remove(path: string) {
    this.drop(path)
  }

  async rename(from: string, to: string) {
    const node = this.find(from)
    if (!node) throw Object.assign(new Error(`ENOENT: ${from}`), { code: 'ENOENT' })
    this.drop(from)
    this.put(to, node)
  }

  async mkdir(path: string, options: WriteOptions = {}) {
    const known = this.find(path)
    if (known?.kind !== 'directory') return this.put(path, folder([], options))
    known.options = options
  }

  async link(target: string, path: string) {
    this.put(path, { kind: 'link', target })
  }

  async list(path: string): Promise<Entry[]> {
    return entriesOf(this.find(path))
  }

  async stat(path: string): Promise<Stat | undefined> {
    const node = this.find(path)
    return node && this.#statOf(node)
  }

  async space() {
    return this.room
  }

  tree(root: string): SiteTree {
    const at = (path: string) => this.find(`${root}/${path}`)
    return {
      where: () => root,
      head: (path, most) => {
        const node = at(path)
        return node?.kind === 'file' ? textOf(node).slice(0, most) : undefined
      },
      list: (path) => entriesOf(at(path)),
      stat: (path) => {
        const node = at(path)
        return node && this.#statOf(node)
      },
    }
  }

  #statOf(node: Node): Stat {
    const owner = { uid: node.kind === 'directory' ? (node.uid ?? 0) : 0, gid: 0 }
    const mode = node.kind === 'link' ? 0o777 : (node.options.mode ?? usualMode(node))
    const mtime_ms = node.kind === 'file' ? (node.at ?? 0) : 0
    return { kind: node.kind, size: sizeOf(node), mode, ...owner, mtime_ms }
  }

  /** Makes missing folders; what is shared on the way becomes this disk's own. */
  #parent(path: string): { folder: FolderNode; name: string } {
    const parts = partsOf(path)
    const name = parts.pop() ?? ''
    let at = this.#root
    for (const part of parts) {
      const found = at.entries.get(part)
      const next = found?.kind === 'directory' ? ownFolder(found) : folder()
      if (next !== found) at.entries.set(part, next)
      at = next
    }
    return { folder: at, name }
  }
}

const partsOf = (path: string) => path.split('/').filter((part) => part !== '')

const usualMode = ({ kind }: Node) => (kind === 'directory' ? 0o755 : 0o644)

function sizeOf(node: Node): number {
  if (node.kind !== 'file') return 0
  return node.size ?? Buffer.byteLength(textOf(node))
}

function entriesOf(node: Node | undefined): Entry[] {
  if (node?.kind !== 'directory') return []
  return [...node.entries].map(([name, { kind }]) => ({ name, kind }))
}
