import { Buffer } from 'node:buffer'
import { posix } from 'node:path'
import type { Files, FolderEntry, Stat, WriteOptions } from '#agent/kernel/host/ports.ts'
import type { SiteTree } from '#agent/kernel/scan/site-tree.ts'
import { openSocket } from './mail-queue.ts'
import {
  type FolderNode,
  file,
  folder,
  type LazyText,
  link,
  type Node,
  namesOf,
  nodeBelow,
  ownFolder,
  textOf,
} from './nodes.ts'

const MAX_LINKS = 40

/** The files and folders of a disk in memory, whose subtrees move as one. */
class Tree {
  #root: FolderNode

  constructor(root: FolderNode = folder()) {
    this.#root = root
  }

  /** Returns the present content for another disk, which changes independently. */
  snapshot(): FolderNode {
    this.#root = { ...this.#root, shared: true }
    return this.#root
  }

  restore(root: FolderNode): void {
    this.#root = root
  }

  /** Returns every path with its text, and `null` for folders, to compare a whole disk. */
  get all(): Record<string, string | null> {
    const shown = [...this.walk()].filter(([, node]) => !('implied' in node))
    const entries = shown.map(([path, node]) => [path, contentOf(node)] as const)
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  *walk(node: Node = this.#root, path = ''): Generator<[path: string, node: Node]> {
    if (node.kind !== 'directory') return
    for (const [name, below] of node.entries) {
      yield [`${path}/${name}`, below]
      yield* this.walk(below, `${path}/${name}`)
    }
  }

  /** Follows links, except one at the path itself. */
  find(path: string, links = 0): Node | undefined {
    const names = namesOf(path)
    let node: Node | undefined = this.#root
    for (const [at, name] of names.entries()) {
      if (node?.kind === 'link' && links < MAX_LINKS)
        return this.find(followed(node.target, names, at), links + 1)
      node = nodeBelow(node, [name])
    }
    return node
  }

  /** Follows links, also one at the path itself. */
  resolved(path: string, links = 0): Node | undefined {
    const node = this.find(path)
    if (node?.kind !== 'link' || links === MAX_LINKS) return node
    return this.resolved(posix.resolve(posix.dirname(path), node.target), links + 1)
  }

  /** Returns the text of a file, also through links; undefined without one. */
  text(path: string): string | undefined {
    const node = this.resolved(path)
    return node?.kind === 'file' ? textOf(node) : undefined
  }

  names(path: string): string[] {
    const node = this.resolved(path)
    return node?.kind === 'directory' ? [...node.entries.keys()] : []
  }

  put(path: string, node: Node): void {
    this.#set(path, node)
  }

  /** Marks folders that are not worth comparing. */
  imply(paths: readonly string[]): void {
    for (const path of paths) this.#folderAt(namesOf(path))
  }

  drop(path: string): void {
    if (this.find(path)) this.#unset(path)
  }

  move(from: string, to: string): void {
    if (!this.find(from)) throw failure('ENOENT', from)
    const { entries, name } = this.#placeOf(from)
    const node = entries.get(name)
    entries.delete(name)
    if (node) this.#set(to, node)
  }

  /** Appends to a file, which is created if it is missing. */
  add(path: string, text: string, at: number): void {
    const before = this.find(path)
    const known = before?.kind === 'file' ? before : file('', { mode: 0o600 })
    this.#set(path, { ...known, text: textOf(known) + text, at })
  }

  putFolder(path: string, options: WriteOptions = {}): void {
    const { entries, name } = this.#placeOf(path)
    const found = entries.get(name)
    const { implied: _, ...known } = found?.kind === 'directory' ? found : folder()
    entries.set(name, Object.keys(options).length > 0 ? { ...known, options } : known)
  }

  #set(path: string, node: Node): void {
    const { entries, name } = this.#placeOf(path)
    entries.set(name, node)
  }

  #unset(path: string): void {
    const { entries, name } = this.#placeOf(path)
    entries.delete(name)
  }

  /** Returns the entries that hold a path. Those of a shared folder become own ones. */
  #placeOf(path: string): { entries: Map<string, Node>; name: string } {
    const names = namesOf(path)
    return { entries: this.#folderAt(names.slice(0, -1)).entries, name: names.at(-1) ?? '' }
  }

  /** Creates missing folders, and copies shared ones on the way. */
  #folderAt(names: readonly string[]): FolderNode {
    this.#root = ownFolder(this.#root)
    let at = this.#root
    for (const [depth, name] of names.entries()) {
      const found = at.entries.get(name)
      if (found?.kind === 'link')
        return this.#folderAt(namesOf(followed(found.target, names, depth + 1)))
      if (found?.kind === 'file') throw failure('ENOTDIR', names.join('/'))
      const next = found?.kind === 'directory' ? ownFolder(found) : IMPLIED()
      if (next !== found) at.entries.set(name, next)
      at = next
    }
    return at
  }
}

const failure = (code: 'ENOENT' | 'ENOTDIR', path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code })

const IMPLIED = (): FolderNode => ({ ...folder(), implied: true })

/** Returns the path behind a link that is the name before `at`. */
const followed = (target: string, names: readonly string[], at: number) =>
  posix.resolve('/', ...names.slice(0, at - 1), target, ...names.slice(at))

function contentOf(node: Node): string | null {
  if (node.kind === 'file') return textOf(node)
  return node.kind === 'link' ? node.target : null
}

const MAX_READ = 1 << 20

/** A disk in memory. It has owners as names, and finds their numbers in its own /etc/passwd. */
export class Disk extends Tree implements Files {
  room = { free: 100 * 2 ** 30, total: 200 * 2 ** 30 }
  /** Runs before each change through the port; throws to make the change fail. */
  guard: (action: string) => void = () => undefined
  readonly #now: () => number

  constructor(now: () => number = () => 0, root?: FolderNode) {
    super(root)
    this.#now = now
  }

  putText(path: string, text: LazyText, options: WriteOptions = {}): void {
    this.put(path, { ...file(text, options), at: this.#now() })
  }

  override add(path: string, text: string, at = this.#now()): void {
    super.add(path, text, at)
  }

  copy(node: Node, to: string): void {
    if (node.kind === 'directory') node.shared = true
    this.put(to, { ...node })
  }

  /** Syncs a path like fsync(2), or all like sync(2); a no-op without a cache. */
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

  async list(path: string, most?: number): Promise<FolderEntry[]> {
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

  /** Returns the files of a site, in which no link is followed. */
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

  /** Throws if the folder of a path is missing: only write and mkdir create it. */
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

function entriesOf(node: Node | undefined): FolderEntry[] {
  if (node?.kind !== 'directory') return []
  return [...node.entries].map(([name, { kind }]) => ({ name, kind }))
}
