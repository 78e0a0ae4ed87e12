import { filesIn } from '#agent/features/backups/places.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** Each path once, without those below another one. */
export function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return [...all].filter((path) => !ancestorsOf(path).some((folder) => all.has(folder)))
}

/** The folders above a path, the uppermost first. */
function ancestorsOf(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, at) => names.slice(0, at + 1).join('/'))
}

/** The arguments with which restic restores only these paths of the public folder. */
export const includesOf = (paths: readonly string[]): string[] =>
  outermost(paths).flatMap((path) => ['--include', `/public/${escaped(path)}`])

/** restic reads patterns as Go's filepath.Match does. */
const escaped = (path: string) => path.replace(/[\\*?[\]]/g, '\\$&')

/** One thing by its name, more of them by their number. */
export const nameOf = ([first = '', ...rest]: readonly string[], kind: string): string =>
  rest.length === 0 ? first : `${rest.length + 1} ${kind}`

/** Throws conflict for a path that was not fetched. */
export async function refuseMissing(
  host: Host,
  folder: string,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    if (await host.files.stat(`${filesIn(folder)}/${path}`)) continue
    throw conflict(`The backup does not have ${path}`)
  }
}

/**
 * The uppermost folder of a path that does not exist below `root`; undefined: all exist. Throws
 * conflict for a path below anything but folders.
 */
export async function firstMissing(
  host: Host,
  root: string,
  path: string,
): Promise<string | undefined> {
  for (const folder of ancestorsOf(path)) {
    const found = await host.files.stat(`${root}/${folder}`)
    if (!found) return folder
    if (found.kind !== 'directory') {
      throw conflict(`${folder} is not a folder on the site now: rename it, then try again`)
    }
  }
  return undefined
}
