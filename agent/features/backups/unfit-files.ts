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
/** In KiB: smaller files with holes are read in seconds. */
const LARGE_KIB = 1 << 20
const BLOCK_BYTES = 512
/** The minimum share of a file on the disk; one with less counts as a file with holes. */
const MIN_DENSE_SHARE = 0.1
const MAX_NAMED = 100
const SHOWN = 200

/**
 * Finds them with a program of the site: restic would read every hole of a file as zeros, terabytes
 * of them, and neither restic nor tar can name a path of more than 4,096 bytes. Throws conflict for
 * more than 100 of them.
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
  // The site cannot list its own folder, which belongs to root.
  const names = (await host.files.list(home)).filter(({ kind }) => kind === 'directory')
  const folders = names.map(({ name }) => `${home}/${name}`)
  if (folders.length === 0) return []
  const argv = ['find', ...folders, ...isDeep, '-o', ...isLarge]
  const options = { network: false, low: true, timeout_ms: TIMEOUT_MS }
  const { code, stdout, stderr } = await tryAsSite(host, { user }, argv, options)
  // Status 1: something is not readable, or was removed meanwhile.
  if (code > 1) throw new Error(`The files of ${user} could not be listed: ${stderr.slice(-300)}`)
  const found = stdout.split('\0').flatMap((line) => unfitIn(line, home) ?? [])
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
  const isHole = Number(blocks) * BLOCK_BYTES < MIN_DENSE_SHARE * Number(size)
  return isHole ? { path, kind: 'hole', size: Number(size) } : undefined
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

/** Escapes a path as a pattern of restic(1) and tar(1) that names nothing else. */
export const patternOf = (path: string): string => path.replace(/[\\*?[\]]/g, '\\$&')
