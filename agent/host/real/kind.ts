import type { Entry } from '#agent/host/ports.ts'

type Typed = { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }

export function kindOf(entry: Typed): Entry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
