import type { WriteOptions } from '#agent/kernel/host/ports.ts'

/** Text that thousands of sites have alike is rendered when it is read. */
export type Text = string | (() => string)

interface Common {
  options: WriteOptions
  /** When it was changed last, in milliseconds. */
  at?: number
}

export interface FileNode extends Common {
  kind: 'file'
  text: Text
  /** The size on the disk, if it is not the length of the text. */
  size?: number
}

interface LinkNode extends Common {
  kind: 'link'
  target: string
}

export interface FolderNode extends Common {
  kind: 'directory'
  entries: Map<string, Node>
  /** Several places hold this object: a change at one of them begins with a copy. */
  shared?: true
  /** It exists only because something was written below it. */
  implied?: true
}

export type Node = FileNode | LinkNode | FolderNode

export const textOf = ({ text }: FileNode): string => (typeof text === 'string' ? text : text())

export const file = (text: Text, options: WriteOptions = {}): FileNode => ({
  kind: 'file',
  text,
  options,
})

export const link = (target: string): LinkNode => ({ kind: 'link', target, options: {} })

export const folder = (
  entries: Iterable<readonly [string, Node]> = [],
  options: WriteOptions = {},
): FolderNode => ({ kind: 'directory', entries: new Map(entries), options })

/** A folder for several places, with everything below it. */
export function sharedFolder(entries: Iterable<readonly [string, Node]>): FolderNode {
  return { ...folder(entries), shared: true }
}

export const EMPTY: FolderNode = sharedFolder([])

/** The folder itself, or a copy that may be changed if it is shared. */
export function ownFolder(node: FolderNode): FolderNode {
  if (!node.shared) return node
  const { shared: _, ...own } = node
  const entries = [...node.entries].map(
    ([name, below]) =>
      [name, below.kind === 'directory' ? { ...below, shared: true as const } : below] as const,
  )
  return { ...own, entries: new Map(entries) }
}

/** The node at these names below a folder; no link is followed. */
export function nodeBelow(node: Node | undefined, names: readonly string[]): Node | undefined {
  return names.reduce(
    (at, name) => (at?.kind === 'directory' ? at.entries.get(name) : undefined),
    node,
  )
}

export const namesOf = (path: string) => path.split('/').filter((part) => part !== '')
