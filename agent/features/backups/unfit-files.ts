import type { Host } from '#agent/kernel/host/ports.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'
import { tryAsSite } from '#agent/kernel/sandbox/run.ts'
import { homeOf } from '#agent/kernel/site/paths.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** A file or folder of a site that a copy of its files cannot have. */
export interface UnfitFile {
  /** Relative to the folder of the site. */
  path: string
  /** `hole` is a large file that is mostly empty; `deep` is a folder below too many others. */
  kind: 'hole' | 'deep'
  /** In bytes, as the file claims; 0 for a folder. */
  size: number
}

const TIMEOUT_MS = 30 * 60_000
/** WordPress and its plugins have about 20 levels; PATH_MAX of Linux has 4,096 bytes. */
const MAX_DEPTH = 100
const MAX_PATH_BYTES = 3500
/** In KiB: a smaller file with holes is read in seconds, and counts with the others. */
const LARGE_KIB = 1 << 20
/** In KiB: also as many of them as a site can have are read in minutes. */
const SMALL_KIB = 1 << 10
/** The maximum of what the smaller files with holes say that they have, in bytes. */
const MAX_HOLES = 16 * 2 ** 30
const BLOCK_BYTES = 512
/** The minimum share of a file on the disk; one with less counts as a file with holes. */
const MIN_DENSE_SHARE = 0.1
const MAX_NAMED = 100
const SHOWN = 200

/**
 * Finds them with a program of the site: restic would read every hole of a file as zeros, terabytes
 * of them, and neither restic nor tar can name a path of more than 4,096 bytes. Throws conflict for
 * more than 100 of them, and for smaller files with holes that say together that they have more than
 * 16 GiB.
 */
export async function findUnfit(host: Host, user: string): Promise<UnfitFile[]> {
  const home = homeOf(user)
  const levels = home.split('/').length - 1 + MAX_DEPTH
  const isDeep = [
    '-regextype',
    'posix-extended',
    '(',
    '-regex',
    `.{${MAX_PATH_BYTES}}.*`,
    '-o',
    '-type',
    'd',
    '-regex',
    `(/[^/]*){${levels}}`,
    ')',
    '-prune',
    '-printf',
    'deep 0 0 %p\\0',
  ]
  const isLarge = ['-type', 'f', '-size', `+${LARGE_KIB}k`, '-printf', 'hole %s %b %p\\0']
  const others = ['-type', 'f', '-size', `+${SMALL_KIB}k`, '-printf', 'other %s %b\\0']
  // The site cannot list its own folder, which belongs to root.
  const names = (await host.files.list(home)).filter(({ kind }) => kind === 'directory')
  const folders = names.map(({ name }) => `${home}/${name}`)
  if (folders.length === 0) return []
  const argv = ['find', ...folders, ...isDeep, '-o', ...isLarge, '-o', ...others]
  // In the locale C, a regular expression matches bytes that are not UTF-8, too.
  const env = { LC_ALL: 'C' }
  const options = { network: false, low: true, timeout_ms: TIMEOUT_MS, env }
  const { code, stdout, stderr } = await tryAsSite(host, { user }, argv, options)
  // Status 1: something is not readable, or was removed meanwhile.
  if (code > 1) throw new Error(`The files of ${user} could not be listed: ${stderr.slice(-300)}`)
  const lines = stdout.split('\0')
  refuseHoles(lines)
  const found = lines.flatMap((line) => unfitIn(line, home) ?? [])
  if (found.length <= MAX_NAMED) return found
  throw conflict(
    `The site has ${found.length} files and folders like this: ${describeUnfit(found[0])}`,
  )
}

function unfitIn(line: string, home: string): UnfitFile | undefined {
  const [, kind, size, blocks, found = ''] = /^(hole|deep) (\d+) (\d+) (.+)$/s.exec(line) ?? []
  if (!found.startsWith(`${home}/`)) return undefined
  const path = found.slice(home.length + 1)
  if (kind === 'deep') return { path, kind, size: 0 }
  return isHole(size, blocks) ? { path, kind: 'hole', size: Number(size) } : undefined
}

/** Whether a file of so many bytes and blocks is mostly empty, as find(1) prints them. */
const isHole = (size = '', blocks = '') =>
  Number(blocks) * BLOCK_BYTES < MIN_DENSE_SHARE * Number(size)

function refuseHoles(lines: readonly string[]): void {
  const sizes = lines.flatMap((line) => {
    const [, size, blocks] = /^other (\d+) (\d+)$/.exec(line) ?? []
    return size !== undefined && isHole(size, blocks) ? [Number(size)] : []
  })
  const sum = sizes.reduce((all, size) => all + size, 0)
  if (sum > MAX_HOLES)
    throw conflict(
      `The site has ${sizes.length} files that say that they have ${sizeOf(sum)}, and are almost empty: remove them, and try again`,
    )
}

export function describeUnfit(unfit: UnfitFile | undefined): string {
  if (!unfit) return ''
  const { kind, size } = unfit
  const path = unfit.path.replace(/[^\x20-\x7e]/g, '?')
  const shown = path.length > SHOWN ? `${path.slice(0, SHOWN)}…` : path
  if (kind === 'hole') return `${shown} says that it has ${sizeOf(size)}, and is almost empty`
  return `${shown} is a folder below ${MAX_DEPTH} others, or has too long a path`
}

/** Throws conflict: a copy without these files would be incomplete. */
export async function refuseUnfit(
  host: Host,
  user: string,
  kinds: readonly UnfitFile['kind'][] = ['hole', 'deep'],
): Promise<void> {
  const first = (await findUnfit(host, user)).find(({ kind }) => kinds.includes(kind))
  if (first) throw conflict(`${describeUnfit(first)}: remove it, and try again`)
}

/**
 * Escapes a path as a pattern of restic(1) and tar(1) that names nothing else, except for bytes that
 * are not UTF-8: they were read as U+FFFD, and any bytes match there.
 */
export const patternOf = (path: string): string =>
  path.replace(/[\\*?[\]]/g, '\\$&').replace(/\ufffd+/g, '*')
