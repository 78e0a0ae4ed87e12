import { link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes to the file, or renames in the folder, survive a power failure. */
export async function syncPath(path: string): Promise<void> {
  await using file = await open(path, 'r')
  await file.sync()
}

/** Replaces the target atomically. */
export async function replaceFile(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncPath(dirname(to))
}

/** Atomic; throws EEXIST if the target exists. */
export async function createFile(from: string, to: string): Promise<void> {
  await link(from, to)
  await rm(from)
  await syncPath(dirname(to))
}

/** `2026-11-20T140502Z`, for names of files. */
export function stampOf(now: Date): string {
  return now
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '')
}
