import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from 'node:fs'
import { attempt } from '#agent/kernel/host/attempt.ts'
import { kindOf, statOf } from '#agent/kernel/host/real/kind.ts'
import type { Budget } from './budget.ts'
import type { SiteTree } from './site-tree.ts'

/** open(2): a reference to a path, which works for unreadable folders too. */
const O_PATH = 0o10000000
const ROOT = O_PATH | constants.O_DIRECTORY
const FOLDER = ROOT | constants.O_NOFOLLOW
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const MAX_OPEN = 64
/**
 * A folder can only be read as a whole. A larger one than this has more than 50,000 entries on
 * ext4, XFS, btrfs and tmpfs.
 */
const MAX_FOLDER_BYTES = 2 << 20

/**
 * Opens each component below the descriptor of the previous one: renames and links that a site's
 * user makes meanwhile cannot lead outside (CWE-363). Folders stay open until the synchronous work
 * ends: otherwise most of a scan's time would go into reopening the same four.
 */
export function siteTree(root: string, budget: Budget): SiteTree {
  const open = new Map<string, number>()
  const close = () => {
    for (const folder of open.values()) closeSync(folder)
    open.clear()
  }
  const folderAt = (path: string): number => {
    const known = open.get(path)
    if (known !== undefined) return known
    if (open.size >= MAX_OPEN) close()
    if (open.size === 0) queueMicrotask(close)
    const folder = path === '' ? openSync(root, ROOT) : openSync(below(path, folderAt), FOLDER)
    open.set(path, folder)
    return folder
  }
  const read = <T>(work: () => T) => (budget.goesOn() ? attempt(work) : undefined)
  return {
    head: (path, most) => read(() => readHead(below(clean(path), folderAt), most, budget)),
    list: (path) => read(() => entriesOf(folderAt(clean(path)), budget)),
    stat: (path) => read(() => statOf(lstatSync(below(clean(path), folderAt)))),
    where: () => read(() => readlinkSync(`/proc/self/fd/${folderAt('')}`)),
  }
}

/** The last component as a path relative to its folder's descriptor. */
function below(path: string, folderAt: (path: string) => number): string {
  const slash = path.lastIndexOf('/')
  const name = path.slice(slash + 1)
  if (name === '..' || name.includes('\0')) throw new Error('refused')
  return `/proc/self/fd/${folderAt(slash < 0 ? '' : path.slice(0, slash))}/${name}`
}

function clean(path: string): string {
  return path.replace(/\/{2,}/g, '/').replace(/^\/|\/$/g, '')
}

function entriesOf(folder: number, budget: Budget) {
  if (fstatSync(folder).size > MAX_FOLDER_BYTES) {
    budget.take('entries', Infinity)
    return []
  }
  const entries = readdirSync(`/proc/self/fd/${folder}`, { withFileTypes: true })
  const granted = budget.take('entries', entries.length)
  return entries.slice(0, granted).map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
}

function readHead(path: string, most: number, budget: Budget): string | undefined {
  const file = openSync(path, FILE)
  try {
    const found = fstatSync(file)
    if (!found.isFile()) return undefined
    const size = Math.min(most, found.size)
    if (budget.take('bytes', size) < size) return undefined
    const buffer = Buffer.allocUnsafe(size)
    const length = readSync(file, buffer, 0, size, 0)
    return buffer.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}
