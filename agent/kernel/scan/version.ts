import { createHash } from 'node:crypto'
import type { SiteRoot } from './site-root.ts'
import type { SiteTree } from './site-tree.ts'

/** Beyond that, a changed file is not noticed. */
const MAX_FILES = 500
const SINGLE = [
  'wp-config.php',
  '.user.ini',
  '.maintenance',
  'wp-includes/version.php',
  'wp-content/object-cache.php',
  'wp-content/advanced-cache.php',
  'wp-content/db.php',
]
const FOLDERS = ['mu-plugins', 'plugins', 'themes']

/**
 * A digest of the times and sizes of the files that decide what a WordPress runs: its settings, and the
 * PHP files at the top of each plugin and theme. It is another one after almost every change of code,
 * and reads no file.
 */
export function filesVersion({ tree, core }: SiteRoot): string {
  const hash = createHash('sha256')
  let left = MAX_FILES
  for (const path of pathsOf(tree, core)) {
    if (left-- === 0) break
    const found = tree.stat(path)
    if (found) hash.update(`${path} ${found.kind} ${found.size} ${found.mtime_ms}\n`)
  }
  return hash.digest('base64url')
}

function* pathsOf(tree: SiteTree, core: string): Generator<string> {
  for (const name of SINGLE) yield core + name
  for (const name of FOLDERS) yield* pathsIn(tree, `${core}wp-content/${name}`)
}

function* pathsIn(tree: SiteTree, folder: string): Generator<string> {
  yield folder
  for (const { name, kind } of sorted(tree, folder)) {
    const path = `${folder}/${name}`
    yield path
    if (kind === 'directory') yield* scriptsIn(tree, path)
  }
}

function* scriptsIn(tree: SiteTree, folder: string): Generator<string> {
  for (const { name } of sorted(tree, folder)) if (name.endsWith('.php')) yield `${folder}/${name}`
}

const sorted = (tree: SiteTree, folder: string) =>
  (tree.list(folder) ?? []).toSorted((one, other) => (one.name < other.name ? -1 : 1))
