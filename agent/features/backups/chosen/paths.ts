import { filesIn } from '#agent/features/backups/paths.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** Returns each path once, without those below another one. */
export function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return [...all].filter((path) => !ancestorsOf(path).some((folder) => all.has(folder)))
}

/** Returns the folders above a path, the uppermost first. */
function ancestorsOf(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, at) => names.slice(0, at + 1).join('/'))
}

/** Returns the arguments with which restic restores only these paths of the public folder. */
export const includesOf = (paths: readonly string[]): string[] =>
  outermost(paths).flatMap((path) => ['--include', `/public/${escaped(path)}`])

/** Escapes a pattern of restic, which reads it as Go's filepath.Match does. */
const escaped = (path: string) => path.replace(/[\\*?[\]]/g, '\\$&')

/** Describes one item by its name, and several by their number. */
export const describeSelection = (
  [first = '', ...rest]: readonly string[],
  kind: string,
): string => (rest.length === 0 ? first : `${rest.length + 1} ${kind}`)

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
 * Returns the uppermost folder of a path that does not exist below `root`; undefined when all
 * exist. Throws conflict for a path below anything but folders.
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
