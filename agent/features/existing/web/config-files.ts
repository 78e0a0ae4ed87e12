import { dirname } from 'node:path'
import type { FolderEntry, Host } from '#agent/kernel/host/ports.ts'
import { globOf, isGlob } from './glob.ts'

/** The source of configuration text: the program's own dump, or the disk. */
export interface ConfigFiles {
  read(path: string): Promise<string | undefined>
  /** The paths that a pattern of glob(7) matches, sorted; a plain path is one. */
  expand(pattern: string): Promise<readonly string[]>
}

const MAX_BYTES = 16 << 20
/** The maximum number of names that are compared with patterns, for all patterns together. */
const MAX_COMPARED = 2_000_000
const FOLDERS: readonly FolderEntry['kind'][] = ['directory', 'link']

interface Folders {
  list(path: string): Promise<readonly FolderEntry[]>
}

/** Reads files from the disk, each once. An unreadable one counts as missing. */
export function filesOnDisk({ files }: Pick<Host, 'files'>): ConfigFiles {
  let left = MAX_BYTES
  const read = async (path: string) => {
    const text = await files.read(path, left).catch(() => undefined)
    left -= text?.length ?? 0
    return text
  }
  const folders = foldersOf(files)
  return { read: cachedByKey(read), expand: cachedByKey((pattern) => expandOn(folders, pattern)) }
}

/** Lists each folder once. Entries over the limit of all patterns are left out. */
function foldersOf(files: Host['files']): Folders {
  let left = MAX_COMPARED
  const list = cachedByKey((path: string) => files.list(path, left).catch(() => []))
  return {
    async list(path) {
      if (left <= 0) return []
      const entries = (await list(path)).slice(0, left)
      // An empty folder costs a call, too.
      left -= entries.length + 1
      return entries
    },
  }
}

function cachedByKey<R>(act: (key: string) => Promise<R>): (key: string) => Promise<R> {
  const known = new Map<string, Promise<R>>()
  return (key) => {
    const result = known.get(key) ?? act(key)
    known.set(key, result)
    return result
  }
}

/** Reads the files of a dump, by path. A pattern for one folder is tried on its files. */
export function filesInDump(dump: ReadonlyMap<string, string>): ConfigFiles {
  const folders = Map.groupBy(dump.keys(), dirname)
  let left = MAX_COMPARED
  return {
    read: async (path) => dump.get(path),
    expand: cachedByKey(async (pattern) => {
      if (!isGlob(pattern)) return [pattern]
      const folder = dirname(pattern)
      const paths = isGlob(folder) ? [...dump.keys()] : (folders.get(folder) ?? [])
      left -= paths.length
      if (left < 0) return []
      return paths.filter(globOf(pattern)).sort()
    }),
  }
}

async function expandOn(folders: Folders, pattern: string): Promise<readonly string[]> {
  if (!isGlob(pattern)) return [pattern]
  const parts = pattern.split('/').slice(1)
  let paths = ['']
  for (const [at, part] of parts.entries()) {
    paths = await below(folders, paths, part, at === parts.length - 1)
  }
  return paths.sort()
}

async function below(
  { list }: Folders,
  folders: readonly string[],
  part: string,
  last: boolean,
): Promise<string[]> {
  if (!isGlob(part)) return folders.map((folder) => `${folder}/${part}`)
  const matches = globOf(part)
  const fits = ({ name, kind }: FolderEntry) =>
    matches(name) && (last ? kind !== 'directory' : FOLDERS.includes(kind))
  const found: string[] = []
  for (const folder of folders) {
    for (const { name } of (await list(folder || '/')).filter(fits)) found.push(`${folder}/${name}`)
  }
  return found
}
