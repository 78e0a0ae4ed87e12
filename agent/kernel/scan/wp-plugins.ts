import type { FolderEntry } from '#agent/kernel/host/ports.ts'
import type { SiteTree } from './site-tree.ts'
import { HEADER_BYTES, pluginHeaders } from './wp-headers.ts'

/** A plugin; `file` is its name in WordPress: `akismet/akismet.php`, `hello.php`. */
export interface Plugin {
  file: string
  name: string
  version: string
}

const MAX_FOLDERS = 2000
const MAX_FILES = 20_000

/**
 * Lists plugins below a plugin folder as get_plugins() does: each .php file in it and one level
 * below with a `Plugin Name`. Must-use plugins and drop-ins do not count. `gap` is called for each
 * unreadable location that may contain more.
 */
export function listPlugins(tree: SiteTree, folder: string, gap: () => void): Plugin[] {
  const plugins: Plugin[] = []
  for (const file of candidates(tree, folder, gap)) {
    const head = tree.head(`${folder}/${file}`, HEADER_BYTES)
    if (head === undefined) gap()
    const headers = head === undefined ? undefined : pluginHeaders(head)
    if (headers) plugins.push({ file, name: headers.name, version: headers.version })
  }
  return plugins
}

/** Returns the folder of each plugin, or its file without `.php`; the path if two share one. */
export function slugsOf(plugins: readonly Plugin[]): Map<string, string> {
  const count = new Map<string, number>()
  for (const { file } of plugins) count.set(shortSlug(file), (count.get(shortSlug(file)) ?? 0) + 1)
  return new Map(
    plugins.map(({ file }) => {
      const slug = shortSlug(file)
      return [file, count.get(slug) === 1 ? slug : file.replace(/\.php$/, '')]
    }),
  )
}

function shortSlug(file: string): string {
  const slash = file.lastIndexOf('/')
  return slash < 0 ? file.replace(/\.php$/, '') : file.slice(0, slash)
}

function candidates(tree: SiteTree, folder: string, gap: () => void): string[] {
  const listed = entriesOf(tree, folder, gap)
  const entries = listed.filter(({ name }) => !name.startsWith('.'))
  const files = phpFiles(entries, gap).slice(0, MAX_FILES)
  if (entries.length > MAX_FOLDERS) gap()
  for (const { name, kind } of entries.slice(0, MAX_FOLDERS)) {
    if (kind === 'link') gap()
    if (kind !== 'directory') continue
    const below = phpFiles(entriesOf(tree, `${folder}/${name}`, gap), gap)
    if (files.length + below.length > MAX_FILES) gap()
    files.push(...below.slice(0, MAX_FILES - files.length).map((file) => `${name}/${file}`))
  }
  return files
}

/** Lists a folder; a missing one has no entries, an unreadable one is a gap. */
export function entriesOf(tree: SiteTree, folder: string, gap: () => void): FolderEntry[] {
  const entries = tree.list(folder)
  if (entries === undefined && tree.stat(folder) !== undefined) gap()
  return entries ?? []
}

function phpFiles(entries: readonly FolderEntry[], gap: () => void): string[] {
  const named = entries.filter(({ name }) => name.endsWith('.php') && !name.startsWith('.'))
  if (named.some(({ kind }) => kind === 'link')) gap()
  return named.filter(({ kind }) => kind === 'file').map(({ name }) => name)
}
