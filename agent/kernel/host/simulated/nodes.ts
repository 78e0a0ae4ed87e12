import type { WriteOptions } from '#agent/kernel/host/ports.ts'

/** A text that is rendered when it is read: thousands of sites share it. */
export type LazyText = string | (() => string)

interface NodeProperties {
  options: WriteOptions
  /** The time of the last change in milliseconds. */
  at?: number
}

export interface FileNode extends NodeProperties {
  kind: 'file'
  text: LazyText
  /** The size on the disk, if it is not the length of the text. */
  size?: number
}

interface LinkNode extends NodeProperties {
  kind: 'link'
  target: string
}

export interface FolderNode extends NodeProperties {
  kind: 'directory'
  entries: Map<string, Node>
  /** True when several places hold this object: a change at one of them begins with a copy. */
  shared?: true
  /** True when it exists only because something was written below it. */
  implied?: true
}

export type Node = FileNode | LinkNode | FolderNode

export const textOf = ({ text }: FileNode): string => (typeof text === 'string' ? text : text())

export const file = (text: LazyText, options: WriteOptions = {}): FileNode => ({
  kind: 'file',
  text,
  options,
})

export const link = (target: string): LinkNode => ({ kind: 'link', target, options: {} })

export const folder = (
  entries: Iterable<readonly [string, Node]> = [],
  options: WriteOptions = {},
): FolderNode => ({ kind: 'directory', entries: new Map(entries), options })

/** Returns a folder for several places, with everything below it. */
export function sharedFolder(entries: Iterable<readonly [string, Node]>): FolderNode {
  return { ...folder(entries), shared: true }
}

export const EMPTY: FolderNode = sharedFolder([])

/** Returns the folder itself, or a copy that may be changed if it is shared. */
export function ownFolder(node: FolderNode): FolderNode {
  if (!node.shared) return node
  const { shared: _, ...own } = node
  const entries = [...node.entries].map(
    ([name, below]) =>
      [name, below.kind === 'directory' ? { ...below, shared: true as const } : below] as const,
  )
  return { ...own, entries: new Map(entries) }
}

/** Finds the node at these names below a folder; follows no link. */
export function nodeBelow(node: Node | undefined, names: readonly string[]): Node | undefined {
  return names.reduce(
    (at, name) => (at?.kind === 'directory' ? at.entries.get(name) : undefined),
    node,
  )
}

export const namesOf = (path: string) => path.split('/').filter((part) => part !== '')
