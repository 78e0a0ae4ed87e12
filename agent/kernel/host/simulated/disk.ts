import { Buffer } from 'node:buffer'
import { posix } from 'node:path'
import type { Entry, Files, Stat, WriteOptions } from '#agent/kernel/host/ports.ts'
import type { SiteTree } from '#agent/kernel/scan/site-tree.ts'
import { openSocket } from './mail-queue.ts'
import {
  type FolderNode,
  file,
  link,
  type Node,
  namesOf,
  nodeBelow,
  type Text,
  textOf,
} from './nodes.ts'
import { failure, Tree } from './tree.ts'

const MAX_READ = 1 << 20

/** A disk in memory. It keeps owners as names, and finds their numbers in its own /etc/passwd. */
export class Disk extends Tree implements Files {
  room = { free: 100 * 2 ** 30, total: 200 * 2 ** 30 }
  /** Called before each change through the port; throws to make the change fail. */
  guard: (action: string) => void = () => undefined
  readonly #now: () => number

  constructor(now: () => number = () => 0, root?: FolderNode) {
    super(root)
    this.#now = now
  }

  putText(path: string, text: Text, options: WriteOptions = {}): void {
    this.put(path, { ...file(text, options), at: this.#now() })
  }

  override add(path: string, text: string, at = this.#now()): void {
    super.add(path, text, at)
  }

  copy(node: Node, to: string): void {
    if (node.kind === 'directory') node.shared = true
    this.put(to, { ...node })
  }

  /** fsync(2) of a path, or sync(2); a no-op without a cache. */
  sync(_path?: string): void {}

  async read(path: string, most = MAX_READ): Promise<string | undefined> {
    const text = this.text(path)
    if (text !== undefined && Buffer.byteLength(text) > most)
      throw new Error(`${path} is larger than ${most} bytes`)
    return text
  }

  async write(path: string, text: string, options: WriteOptions = {}) {
    this.guard(`write ${path}`)
    this.putText(path, text, options)
    this.sync(path)
  }

  async append(path: string, text: string, { sync = false } = {}) {
    this.guard(`append ${path}`)
    this.#needFolder(path)
    this.add(path, text)
    if (sync) this.sync(path)
  }

  async remove(path: string) {
    this.guard(`remove ${path}`)
    this.drop(path)
  }

  async rename(from: string, to: string) {
    this.guard(`rename ${from} ${to}`)
    this.#needFolder(to)
    this.move(from, to)
    this.sync(to)
  }

  async mkdir(path: string, options: WriteOptions = {}) {
    this.guard(`mkdir ${path}`)
    this.putFolder(path, options)
    openSocket(this, path)
  }

  async link(target: string, path: string) {
    this.guard(`link ${path}`)
    this.#needFolder(path)
    this.put(path, link(target))
  }

  async list(path: string, most?: number): Promise<Entry[]> {
    return entriesOf(this.resolved(path)).slice(0, most)
  }

  async part(path: string, from: number, most: number): Promise<Uint8Array | undefined> {
    const isFile = this.statOf(path)?.kind === 'file'
    const text = isFile ? this.text(path) : undefined
    return text === undefined ? text : Buffer.from(text).subarray(from, from + most)
  }

  async stat(path: string): Promise<Stat | undefined> {
    return this.statOf(path)
  }

  statOf(path: string): Stat | undefined {
    const node = this.find(path)
    return node && this.#statOf(node)
  }

  async space(_path: string) {
    return this.room
  }

  /** The files of a site, in which no link is followed. */
  tree(root: string): SiteTree {
    const at = (path: string) => nodeBelow(this.find(root), namesOf(path))
    return {
      where: () => root,
      head(path, most) {
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

  /** Of the changes through the port, only write and mkdir make the folder of their path. */
  #needFolder(path: string): void {
    const folder = this.resolved(posix.dirname(path))
    if (folder?.kind === 'directory') return
    throw failure(folder ? 'ENOTDIR' : 'ENOENT', path)
  }

  #statOf(node: Node): Stat {
    const { owner, group, mode = DEFAULT_MODE[node.kind] } = node.options
    const uid = owner === undefined ? 0 : this.#idIn('/etc/passwd', owner, 2)
    const own = owner === undefined ? 0 : this.#idIn('/etc/passwd', owner, 3)
    const gid = group === undefined ? own : this.#idIn('/etc/group', group, 2)
    return { kind: node.kind, size: sizeOf(node), mode, uid, gid, mtime_ms: node.at ?? 0 }
  }

  #idIn(path: string, name: string, column: number): number {
    const lines = (this.text(path) ?? '').split('\n').map((line) => line.split(':'))
    return Number(lines.find(([first]) => first === name)?.[column] ?? 0)
  }
}

const DEFAULT_MODE = { file: 0o644, directory: 0o755, link: 0o777 }

function sizeOf(node: Node): number {
  if (node.kind === 'link') return node.target.length
  if (node.kind === 'directory') return 0
  return node.size ?? Buffer.byteLength(textOf(node))
}

function entriesOf(node: Node | undefined): Entry[] {
  if (node?.kind !== 'directory') return []
  return [...node.entries].map(([name, { kind }]) => ({ name, kind }))
}
