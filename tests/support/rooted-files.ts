import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Files } from '#agent/host/ports.ts'
import { files } from '#agent/host/real/files.ts'

/** The machine's own files with `root` for `/`: real reading without touching the machine. */
export function rootedFiles(root: string): Files {
  const at = (path: string) => root + path
  return {
    ...files,
    read: (path, most) => files.read(at(path), most),
    write: (path, text, options) => files.write(at(path), text, options),
    remove: (path) => files.remove(at(path)),
    rename: (from, to) => files.rename(at(from), at(to)),
    list: (path) => files.list(at(path)),
    stat: (path) => files.stat(at(path)),
    tree: (path) => files.tree(at(path)),
  }
}

/** Writes a tree of files: path below `root` → text. */
export function fill(root: string, tree: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}
