import { posix } from 'node:path'
import type { WriteOptions } from '#agent/kernel/host/ports.ts'
import {
  type FolderNode,
  file,
  folder,
  type Node,
  namesOf,
  nodeBelow,
  ownFolder,
  textOf,
} from './nodes.ts'

const MAX_LINKS = 40

/** The files and folders of a disk in memory: what is below a folder is found, moved and removed at once. */
export class Tree {
  #root: FolderNode

  constructor(root: FolderNode = folder()) {
    this.#root = root
  }

  /** Everything as it is now, for another disk: a later change of either is invisible to the other. */
  snapshot(): FolderNode {
    this.#root = { ...this.#root, shared: true }
    return this.#root
  }

  restore(root: FolderNode): void {
    this.#root = root
  }

  /** Every path with its text, folders with `null`: for comparing a whole disk. */
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

  /** Follows also a link at the path itself. */
  resolved(path: string, links = 0): Node | undefined {
    const node = this.find(path)
    if (node?.kind !== 'link' || links === MAX_LINKS) return node
    return this.resolved(posix.resolve(posix.dirname(path), node.target), links + 1)
  }

  /** The text of a file, also through links; undefined if there is none. */
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

  /** Folders that are not worth comparing. */
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

  /** Appends to a file, which is made if it is missing. */
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

  /** The entries that hold a path. Those of a shared folder become own ones, whose folders say so. */
  #placeOf(path: string): { entries: Map<string, Node>; name: string } {
    const names = namesOf(path)
    return { entries: this.#folderAt(names.slice(0, -1)).entries, name: names.at(-1) ?? '' }
  }

  /** Makes missing folders, and copies shared ones on the way. */
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

export const failure = (code: 'ENOENT' | 'ENOTDIR', path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code })

const IMPLIED = (): FolderNode => ({ ...folder(), implied: true })

/** The path behind a link that is the name before `at`. */
const followed = (target: string, names: readonly string[], at: number) =>
  posix.resolve('/', ...names.slice(0, at - 1), target, ...names.slice(at))

function contentOf(node: Node): string | null {
  if (node.kind === 'file') return textOf(node)
  return node.kind === 'link' ? node.target : null
}
