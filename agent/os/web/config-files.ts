import { dirname } from 'node:path'
import type { Entry, Host } from '#agent/host/ports.ts'
import { globPattern, isGlob, matchesGlob } from './glob.ts'

/** The source of configuration text: the program's own dump, or the disk. */
export interface ConfigFiles {
  read(path: string): Promise<string | undefined>
  /** The paths that a pattern of glob(7) matches, sorted; a plain path is one. */
  expand(pattern: string): Promise<readonly string[]>
}

const MOST_BYTES = 16 << 20
const MOST_MATCHES = 100_000
const FOLDERS: readonly Entry['kind'][] = ['directory', 'link']

/** Files on the disk, each read once. An unreadable one counts as missing. */
export function filesOnDisk({ files }: Pick<Host, 'files'>): ConfigFiles {
  const known = new Map<string, Promise<string | undefined>>()
  let left = MOST_BYTES
  const read = async (path: string) => {
    const text = await files.read(path, left).catch(() => undefined)
    left -= text?.length ?? 0
    return text
  }
  return {
    read(path) {
      const reading = known.get(path) ?? read(path)
      known.set(path, reading)
      return reading
    },
    expand: (pattern) => expandOn(files, pattern),
  }
}

/** The files of a dump, by path. A pattern for one folder is matched only against its files. */
export function filesInDump(dump: ReadonlyMap<string, string>): ConfigFiles {
  const folders = Map.groupBy(dump.keys(), dirname)
  return {
    read: async (path) => dump.get(path),
    async expand(pattern) {
      if (!isGlob(pattern)) return [pattern]
      const folder = dirname(pattern)
      const paths = isGlob(folder) ? [...dump.keys()] : (folders.get(folder) ?? [])
      const expression = globPattern(pattern)
      return paths.filter((path) => matchesGlob(pattern, expression, path)).sort()
    },
  }
}

async function expandOn(files: Host['files'], pattern: string): Promise<readonly string[]> {
  if (!isGlob(pattern)) return [pattern]
  const parts = pattern.split('/').slice(1)
  let paths = ['']
  for (const [at, part] of parts.entries()) {
    paths = await below(files, paths, part, at === parts.length - 1)
  }
  return paths.sort()
}

async function below(
  files: Host['files'],
  folders: readonly string[],
  part: string,
  last: boolean,
): Promise<string[]> {
  if (!isGlob(part)) return folders.map((folder) => `${folder}/${part}`)
  const expression = globPattern(part)
  const fits = ({ name, kind }: Entry) =>
    matchesGlob(part, expression, name) && (last ? kind !== 'directory' : FOLDERS.includes(kind))
  const found: string[] = []
  for (const folder of folders) {
    const entries = await files.list(folder || '/').catch(() => [])
    for (const { name } of entries.filter(fits)) found.push(`${folder}/${name}`)
    if (found.length > MOST_MATCHES) break
  }
  return found
}
