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

const ROOT = constants.O_RDONLY | constants.O_DIRECTORY
const FOLDER = ROOT | constants.O_NOFOLLOW
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const MOST_OPEN = 64

/**
 * Opens one component after the other, each below the descriptor of the one before: what a site's
 * user renames or links meanwhile cannot lead outside (CWE-363). Folders stay open until the work
 * that is done in one go ends: most of a scan's time would be opening the same four again.
 */
export function siteTree(root: string): SiteTree {
  const open = new Map<string, number>()
  const close = () => {
    for (const folder of open.values()) closeSync(folder)
    open.clear()
  }
  const folderAt = (path: string): number => {
    const known = open.get(path)
    if (known !== undefined) return known
    if (open.size >= MOST_OPEN) close()
    if (open.size === 0) queueMicrotask(close)
    const folder = path === '' ? openSync(root, ROOT) : openSync(below(path, folderAt), FOLDER)
    open.set(path, folder)
    return folder
  }
  return {
    head: (path, most) => orNothing(() => readHead(below(clean(path), folderAt), most)),
    list: (path) => orNothing(() => entriesOf(folderAt(clean(path)))) ?? [],
    stat: (path) => orNothing(() => statOf(below(clean(path), folderAt))),
  }
}

/** The last component as a path that begins at its folder's descriptor. */
function below(path: string, folderAt: (path: string) => number): string {
  const slash = path.lastIndexOf('/')
  const name = path.slice(slash + 1)
  if (name === '..' || name.includes('\0')) throw new Error('refused')
  return `/proc/self/fd/${folderAt(slash < 0 ? '' : path.slice(0, slash))}/${name}`
}

function clean(path: string): string {
  return path.replace(/\/{2,}/g, '/').replace(/^\/|\/$/g, '')
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function entriesOf(folder: number) {
  const entries = readdirSync(`/proc/self/fd/${folder}`, { withFileTypes: true })
  return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
}

function statOf(path: string) {
  const found = lstatSync(path)
  const { size, mode, uid, gid, mtimeMs } = found
  return { kind: kindOf(found), size, mode: mode & 0o7777, uid, gid, mtime_ms: mtimeMs }
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
