import { link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Syncs a file or a folder: what was written or renamed there survives a power failure. */
export async function syncPath(path: string): Promise<void> {
  await using file = await open(path, 'r')
  await file.sync()
}

/** Replaces the target atomically. */
export async function replaceFile(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncPath(dirname(to))
}

/** Moves a file to its target atomically. Throws EEXIST if the target exists. */
export async function createFile(from: string, to: string): Promise<void> {
  await link(from, to)
  await rm(from)
  await syncPath(dirname(to))
}

/** Writes a time for names of files, such as `2026-11-20T140502Z`. */
export function stampOf(now: Date): string {
  return now
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '')
}

/** Writes a file for its owner alone, and syncs it. */
export async function writeSynced(path: string, text: string): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  await file.writeFile(text)
  await file.sync()
}
