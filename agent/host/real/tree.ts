import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
} from 'node:fs'
import type { SiteTree } from '../ports.ts'
import { kindOf } from './kind.ts'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Opens one component after the other, each below the descriptor of the one before: what a site's
 * user renames or links meanwhile cannot lead outside (CWE-363).
 */
export function siteTree(root: string): SiteTree {
  return {
    head: (path, most) => within(root, path, (parent, name) => readHead(`${parent}/${name}`, most)),
    list: (path) =>
      within(root, path === '' ? '.' : `${path}/.`, (parent) =>
        readdirSync(parent, { withFileTypes: true }).map((entry) => ({
          name: entry.name,
          kind: kindOf(entry),
        })),
      ) ?? [],
    stat: (path) =>
      within(root, path, (parent, name) => {
        const found = lstatSync(`${parent}/${name}`)
        const { size, mode, uid, gid, mtimeMs } = found
        return { kind: kindOf(found), size, mode: mode & 0o7777, uid, gid, mtime_ms: mtimeMs }
      }),
  }
}

/** Calls `use` with the folder's descriptor as a path, and the last component's name. */
function within<T>(root: string, path: string, use: (parent: string, name: string) => T) {
  const parts = path.split('/').filter((part) => part !== '')
  const name = parts.pop() ?? '.'
  if ([...parts, name].some((part) => part === '..' || part.includes('\0'))) return undefined
  let folder: number | undefined
  try {
    folder = openSync(root, constants.O_RDONLY | constants.O_DIRECTORY)
    for (const part of parts) {
      const next = openSync(`/proc/self/fd/${folder}/${part}`, FOLDER)
      closeSync(folder)
      folder = next
    }
    return use(`/proc/self/fd/${folder}`, name)
  } catch {
    return undefined
  } finally {
    if (folder !== undefined) closeSync(folder)
  }
}

function readHead(path: string, most: number): string | undefined {
  const file = openSync(path, FILE)
  try {
    const found = fstatSync(file)
    if (!found.isFile()) return undefined
    const buffer = Buffer.allocUnsafe(Math.min(most, found.size))
    const length = readSync(file, buffer, 0, buffer.length, 0)
    return buffer.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}
