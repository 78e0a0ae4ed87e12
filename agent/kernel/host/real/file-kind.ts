import type { Stats } from 'node:fs'
import type { FolderEntry, Stat } from '#agent/kernel/host/ports.ts'

export function kindOf(
  entry: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>,
): FolderEntry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

export function statOf(found: Stats): Stat {
  const { size, mode, uid, gid, mtimeMs } = found
  return { kind: kindOf(found), size, mode: mode & 0o7777, uid, gid, mtime_ms: mtimeMs }
}
