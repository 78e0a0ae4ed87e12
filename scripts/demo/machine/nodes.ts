import type { WriteOptions } from '#agent/host/ports.ts'

/** Of a file that thousands of sites have alike, the text is made when somebody reads it. */
export type Text = string | (() => string)

export interface FileNode {
  kind: 'file'
  text: Text
  options: WriteOptions
  /** What it takes of the disk, where that is not the length of its text. */
  size?: number
  /** When it was changed, since the machine is there. */
  at?: number
}

interface LinkNode {
  kind: 'link'
  target: string
}

export interface FolderNode {
  kind: 'directory'
  entries: Map<string, Node>
  options: WriteOptions
  /** Of the user, where that tells whose site it is. */
  uid?: number
  /** Many places hold this very folder: who changes it there gets one of their own first. */
  shared?: true
}

export type Node = FileNode | LinkNode | FolderNode

export const textOf = ({ text }: FileNode): string => (typeof text === 'string' ? text : text())

export const file = (text: Text, options: WriteOptions = {}): FileNode => ({
  kind: 'file',
  text,
  options,
})

export const folder = (
  entries: Iterable<readonly [string, Node]> = [],
  options: WriteOptions = {},
): FolderNode => ({ kind: 'directory', entries: new Map(entries), options })

/** A folder that is laid into many places, with all that is below it. */
export function sharedFolder(entries: Iterable<readonly [string, Node]>): FolderNode {
  return { ...folder(entries), shared: true }
}

/** Without anything in it yet. */
export const EMPTY: FolderNode = sharedFolder([])

/** The folder that may be changed in the place of this one. */
export function ownFolder(node: FolderNode): FolderNode {
  if (!node.shared) return node
  const { shared: _, ...own } = node
  const entries = [...node.entries].map(
    ([name, below]) =>
      [name, below.kind === 'directory' ? { ...below, shared: true as const } : below] as const,
  )
  return { ...own, entries: new Map(entries) }
}
