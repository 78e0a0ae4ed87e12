import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Files, Host } from '#agent/kernel/host/ports.ts'
import { files } from '#agent/kernel/host/real/files.ts'
import { scannerOf } from '#agent/kernel/host/simulated/scanner.ts'
import { SCAN_LIMITS, ScanBudget, siteTree } from '#agent/kernel/scan/access.ts'
import type { OpenTree } from '#agent/kernel/scan/site-tree.ts'
import type { FakeHost } from './fake-host.ts'

/** The machine's own files with `root` for `/`: real reads that leave the machine alone. */
function rootedFiles(root: string): Files {
  const at = (path: string) => root + path
  return {
    ...files,
    read: (path, most) => files.read(at(path), most),
    write: (path, text, options) => files.write(at(path), text, options),
    remove: (path) => files.remove(at(path)),
    rename: (from, to) => files.rename(at(from), at(to)),
    list: (path, most) => files.list(at(path), most),
    stat: (path) => files.stat(at(path)),
  }
}

/** Opens the machine's own trees with `root` for `/`. */
export const rootedTree =
  (root: string): OpenTree =>
  (path) =>
    siteTree(root + path, new ScanBudget(SCAN_LIMITS, () => 0))

/** A host with its files and sites below `root`. */
export function onFiles<H extends Host & Pick<FakeHost, 'select'>>(host: H, root: string): H {
  return Object.assign(host, {
    files: rootedFiles(root),
    scanner: scannerOf({
      open: rootedTree(root),
      uid: (docroot) => lstatSync(root + docroot, { throwIfNoEntry: false })?.uid,
      passwd: () => passwdIn(root),
      query: (sql, values) => host.select(sql, values),
    }),
  })
}

function passwdIn(root: string): string {
  const path = `${root}/etc/passwd`
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** Writes a tree of files: path below `root` → text. */
export function fill(root: string, tree: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}
